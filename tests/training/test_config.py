"""The configuration: every setting has a reason and a range, and every refusal is one sentence that states both."""

import dataclasses
import json
import math
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.errors import raises_exactly

import hypercone
from hypercone.construction import CONSTRUCTIONS
from hypercone.errors import ConfigError, InputError, UnknownNameError
from hypercone.methods import METHODS, Settings
from hypercone.training import ConstructionConfig, FitConfig, TrainingConfig, fit
from hypercone.training.config import COMMON, MOST_EPOCHS, OPTIONS

each_option = pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
each_method = pytest.mark.parametrize("name", METHODS)
each_construction = pytest.mark.parametrize("name", CONSTRUCTIONS)
# Settings of learning, with values other than their defaults.
LEARNING = {
    "epochs": 5,
    "rate": 0.1,
    "margin": 0.02,
    "init": "random",
    "threads": 2,
    "edges": "as-given",
    "border": 1e-4,
}
KINDS = {int: "a whole number", float: "a finite number", str: "text"}
WRONG_KINDS = {int: [1.5, "1", True, [1], math.nan], float: ["1", True, [1.0]], str: [1, True, ["text"]]}


def bad_values():
    """One value beyond each bound of each option, one that is not a choice, and one of each wrong type."""
    for name, option in OPTIONS.items():
        kind = option.kind
        step = 1 if kind is int else 1e-13
        if option.at_least is not None:
            yield name, option.at_least - step, f"must be at least {option.at_least}"
        if option.at_most is not None:
            yield name, option.at_most + (1 if kind is int else 1e-3), f"must be at most {option.at_most}"
        if option.above is not None:
            yield from ((name, value, f"must be above {option.above}") for value in (option.above, -1.0))
        if name != "method":
            if option.choices:
                yield name, "nonsense", f"must be one of {', '.join(option.choices)}"
            yield from ((name, value, f"must be {KINDS[kind]}") for value in WRONG_KINDS[kind])
        if kind is float:
            yield from ((name, value, f"must be {KINDS[kind]}") for value in (math.nan, math.inf, -math.inf, 10**400))


class TestOptions:
    @each_option
    def test_every_setting_has_a_reason_and_a_range_or_choices(self, option):
        assert len(option.reason) >= 10
        assert not option.reason.endswith(".")
        assert "\n" not in option.reason
        if option.kind is str:
            assert len(option.choices) >= 2
        else:
            assert option.at_least is not None or option.above is not None

    @each_option
    def test_every_setting_can_be_given_by_name_and_none_means_the_default(self, option):
        method = {"method": "hyperbolic-cones"}
        value = getattr(FitConfig(**method).for_edges(1_000), option.name)
        assert getattr(FitConfig(**method | {option.name: value}), option.name) == value
        assert FitConfig(**{option.name: None}) == FitConfig()

    @each_method
    def test_a_configuration_of_learning_is_complete(self, name):
        config = FitConfig(method=name).for_edges(10)
        assert isinstance(config, TrainingConfig)
        found = {setting: type(value) for setting, value in config.as_dict().items()}
        assert found == {setting: option.kind for setting, option in OPTIONS.items()}


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "value", "bound"), [pytest.param(*case, id=str(case)[:60]) for case in bad_values()]
    )
    def test_a_bad_value_is_one_sentence_with_field_value_and_bound(self, name, value, bound):
        with pytest.raises(ConfigError) as refused:
            FitConfig(**{name: value})
        message = str(refused.value)
        seen = repr(value) if len(repr(value)) <= 60 else repr(value)[:59] + "…"
        assert message.startswith(f"{name} is {seen}, but {bound}")
        assert "\n" not in message
        assert refused.value.exit_code == 2

    @pytest.mark.parametrize("make", [FitConfig.from_dict, lambda given: FitConfig(**given)], ids=["dict", "names"])
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"epoch": 3}, r"^there is no setting 'epoch'; did you mean epochs"),
            ({"self": 3}, r"^there is no setting 'self'"),
            *(({"method": method}, r"^there is no method ") for method in ("ordr", 3, ["order"], {"order": 1})),
        ],
        ids=str,
    )
    def test_an_unknown_name_is_refused(self, make, given, message):
        with pytest.raises(UnknownNameError, match=message):
            make(given)

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("lr", "rate"),
            ("learning_rate", "rate"),
            ("n_components", "dim"),
            ("vector_size", "dim"),
            ("size", "dim"),
            ("dims", "dim"),
            ("dimension", "dim"),
            ("n_dim", "dim"),
            ("random_state", "seed"),
            ("epoch", "epochs"),
            ("n_epochs", "epochs"),
            ("num_epochs", "epochs"),
            ("max_iter", "epochs"),
            ("negative", "negatives"),
            ("n_jobs", "threads"),
            ("minibatch", "batch_size"),
        ],
    )
    def test_the_names_of_other_libraries_are_refused_with_the_setting_that_is_meant(self, name, meant, tmp_path):
        sentence = f"there is no setting {name!r}; did you mean {meant}?"
        for make in (FitConfig, TrainingConfig, ConstructionConfig, partial(fit, "tree-2-3")):
            with raises_exactly(sentence, UnknownNameError):
                make(**{name: 3})
        with raises_exactly(sentence, UnknownNameError):
            fit("tree-2-3", recipe={name: 3})
        path = tmp_path / "settings.toml"
        path.write_text(f"{name} = 3")
        with raises_exactly(f"{path}: {sentence}", UnknownNameError):
            fit("tree-2-3", recipe=path)
        with raises_exactly(sentence.replace("setting", "parameter"), UnknownNameError):
            hypercone.ConeEmbedder(**{name: 3})

    def test_a_config_has_no_other_attributes_and_is_immutable(self):
        with pytest.raises(AttributeError, match=r"^a FitConfig has no setting 'epoch'$"):
            _ = FitConfig().epoch
        with pytest.raises(AttributeError, match="is immutable"):
            FitConfig().dim = 3

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"method": "poincare", "init": "poincare"}, r"^init is poincare, the method itself; "),
            ({"margin": 1.6}, r"margin is 1\.6, but a cone's must be at most π/2"),
            ({"method": "euclidean-cones", "margin": 1.6}, r"margin is 1\.6, but a cone's must be at most π/2"),
            ({"method": "poincare", "relatives": 2}, "relatives is 2, but poincare ranks distances"),
            ({"method": "poincare", "positive_weight": 2.0}, "positive_weight is 2.0, but poincare ranks distances"),
            ({"method": "euclidean", "positive_weight": 2.0}, "positive_weight is 2.0, but euclidean ranks distances"),
            ({"negatives": 5, "relatives": 5}, "relatives is 5, but must be below negatives, 5"),
            *(({"method": name, "dim": 1}, r"^dim is 1, but .* needs at least 2") for name in CONSTRUCTIONS),
        ],
        ids=str,
    )
    def test_settings_that_contradict_each_other_are_refused(self, settings, message):
        with pytest.raises(ConfigError, match=message):
            FitConfig(**{"method": "hyperbolic-cones"} | settings)
        assert FitConfig(method="order", margin=1.6).margin == 1.6


class TestDefaults:
    @each_method
    def test_a_methods_defaults_apply_to_settings_that_are_not_given(self, name):
        config = FitConfig(method=name)
        for setting, value in METHODS[name].defaults.items():
            if setting not in TrainingConfig.FROM_THE_DATA:
                assert getattr(config, setting) == value
        left_open = {setting for setting, value in config.as_dict().items() if value is None}
        assert left_open == set(TrainingConfig.FROM_THE_DATA)

    def test_given_settings_take_precedence_and_reach_the_formulas(self):
        config = FitConfig(method="order", rate=0.25, corrupt="both")
        assert (config.rate, config.corrupt) == (0.25, "both")
        config = FitConfig(method="hyperbolic-cones", K=0.2, margin=0.3, border=1e-4)
        assert config.settings == Settings(K=0.2, margin=0.3, border=1e-4, alpha=0.0)

    @each_method
    def test_the_default_number_of_epochs_depends_on_the_data(self, name):
        usual = METHODS[name].defaults["epochs"]
        large, small, smallest = (FitConfig(method=name).for_edges(count) for count in (10**7, 3_000, 1))
        assert (large.epochs, large.init_epochs) == (usual, 100)
        assert small.epochs == max(usual, 1_000)
        assert smallest.epochs == smallest.init_epochs == max(usual, MOST_EPOCHS)
        assert FitConfig(method=name, epochs=0, init_epochs=7).for_edges(1).epochs == 0

    def test_numpy_numbers_become_plain_ones(self):
        config = FitConfig(method="hyperbolic-cones", dim=np.int64(3), seed=np.uint8(4), rate=np.float32(0.5), K=1)
        assert (type(config.dim), type(config.seed), type(config.rate), type(config.K)) == (int, int, float, float)
        assert json.loads(json.dumps(config.as_dict())) == config.as_dict()


class TestConstructions:
    @pytest.mark.parametrize("setting", LEARNING)
    def test_a_setting_of_learning_is_refused_for_a_construction_and_does_not_change_what_auto_means(
        self, tree, setting
    ):
        given, refused = {setting: LEARNING[setting]}, f"^{setting} is .*, but %s is constructed and learns nothing"
        for name in CONSTRUCTIONS:
            with pytest.raises(ConfigError, match=refused % name):
                FitConfig(method=name, **given)
        assert FitConfig(**given).method == FitConfig(dim=5, seed=4, K=0.2).method == "overlapping-caps"
        with pytest.raises(ConfigError, match=refused % "overlapping-caps"):
            fit(tree, **given)

    @pytest.mark.parametrize("name", ["edges", "threads", "border", "known"])
    def test_a_setting_of_learning_at_its_default_is_accepted(self, name):
        given = {name: OPTIONS[name].default}
        assert FitConfig(method="nested-caps", **given) == FitConfig(method="nested-caps")

    @each_construction
    def test_a_configuration_of_a_construction_has_the_common_settings_and_is_its_record(self, name):
        config = FitConfig(method=name, dim=5, seed=2, K=0.3)
        assert config.for_parents(0.0) == ConstructionConfig(method=name, dim=5, seed=2, K=0.3)
        assert FitConfig().for_parents(0.0) == ConstructionConfig(method="overlapping-caps", dim=5, seed=0, K=0.1)
        assert (
            tuple(config.as_dict()) == tuple(field.name for field in dataclasses.fields(ConstructionConfig)) == COMMON
        )
        assert FitConfig.from_dict(config.as_dict()) == config


class TestRoundTrip:
    @given(
        st.sampled_from(sorted(METHODS)),
        st.integers(1, 1024),
        st.integers(0, 2**63 - 1),
        st.floats(1e-9, 1e9),
        st.one_of(st.none(), st.integers(0, 10**6)),
    )
    def test_a_config_survives_json_and_pickling(self, method, dim, seed, rate, epochs):
        config = FitConfig(method=method, dim=dim, seed=seed, rate=rate, epochs=epochs)
        again = FitConfig.from_dict(json.loads(json.dumps(config.as_dict())))
        assert (again, hash(again), repr(again)) == (config, hash(config), repr(config))
        assert again != dataclasses.asdict(config.for_edges(10))
        for pickled in (config, FitConfig(), FitConfig(dim=3)):
            assert pickle.loads(pickle.dumps(pickled)) == pickled


class TestToml:
    def test_a_config_is_read_from_toml(self, tmp_path):
        path = tmp_path / "fit.toml"
        path.write_text('method = "order"\nrate = 1\ndim = 7  # a comment\n', encoding="utf-8")
        assert FitConfig.from_toml(path) == FitConfig(method="order", rate=1.0, dim=7)
        assert FitConfig.from_toml(str(path), dim=3).dim == 3

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (b"dim = 3\nrate = x\n", r"fit\.toml: is not valid TOML \(.*line 2.*\)$"),
            (b"dim = 3\ndim = 4", r"fit\.toml: is not valid TOML "),
            (b"\xff\xfe", r"fit\.toml: is not valid TOML "),
            (b"dims = 3", r"fit\.toml: there is no setting 'dims'; did you mean dim"),
            (b"dim = 0", r"fit\.toml: dim is 0, but must be at least 1 or auto$"),
            (b"[fit]\ndim = 3", r"fit\.toml: there is no setting 'fit'"),
            (b"rate = inf", r"fit\.toml: rate is inf, but must be a finite number$"),
            (b"method = ['order']", r"fit\.toml: method is \['order'\], but must be text$"),
            (b"method = 'ordre'", r"fit\.toml: method is 'ordre', but must be one of .*, order, "),
            (b"dim = 2024-01-01", r"fit\.toml: dim is .*, but must be a whole number or auto$"),
            (b"a = " + b"[" * 2000, r"is not valid TOML \(it is nested too deeply\)"),
            (b"seed = " + b"9" * 5000, r"is not valid TOML \(Exceeds the limit \(4300 digits\)"),
            (b"seed = 0x" + b"f" * 5000, "seed is a number of very many digits, but must be at most"),
            (b"rate = " + b"9" * 4000, "…, but must be a finite number"),
            (b'schedule = "' + b"x" * 5000 + b'"', "…, but must be one of constant, linear"),
            (b'method = "' + b"x" * 5000 + b'"', "…, but must be one of auto, hyperbolic-cones, "),
            (b'"' + b"x" * 5000 + b'" = 1', "there is no setting 'xxx"),
            (b"a" + b".a" * 9000 + b" = 1", r"is larger than a file of settings can be \(16,384 bytes\)"),
            (b"epochs = 9223372036854775808", "epochs is 9223372036854775808, but must be at most 1000000000"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_an_invalid_or_malicious_file_is_refused_quickly_in_a_short_sentence(self, text, message, tmp_path, within):
        path = tmp_path / "fit.toml"
        path.write_bytes(text)
        with pytest.raises(InputError, match=message) as refused:
            within(2, lambda: FitConfig.from_toml(path))
        assert "\n" not in str(refused.value)
        assert len(str(refused.value)) < 400 + len(str(path))
