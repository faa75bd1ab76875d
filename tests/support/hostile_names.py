"""Names that try to break out of HTML, JavaScript, JSON or an address."""

HOSTILE_NAMES = [
    "</script><script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 1'>",
    "<style>*{display:none}</style>",
    "javascript:window.broken=1//",
    "\"'`${window.broken=1}",
    "\\u003c<!-- --> ]]>",
    "<!--",
    "-->",
    "\\",
    " ",
    "[]{}&amp;",
    "\u2028 and \u2029",
    "&amp;&lt;b&gt;",
    "%00#?/..",
    "__proto__",
    "constructor",
    "🦩 مرحبا \u202e",
    "a" * 3000,
]
