"""The models by which features are evaluated, in words."""

MODELS = {
    (
        "linear",
        "ordinal",
    ): "cumulative logistic regression, one model per threshold between the classes",
    ("linear", "classification"): "logistic regression with balanced class weights",
    ("linear", "regression"): "ridge regression",
    ("forest", "ordinal"): "extremely randomised trees on the cumulative indicators of the classes",
    ("forest", "classification"): "extremely randomised trees with balanced class weights",
    ("forest", "regression"): "extremely randomised trees",
}
SHORT_MODELS = {"linear": "linear model", "forest": "random forest", "given": "the given model"}
