"""What an attacker could try, measured: each attack is a command, for this version or for another checkout."""
