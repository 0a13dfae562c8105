"""Where every name of the library is written that a saved model, or a person, may ask for."""

#: Where each public name is written; its `__module__` is this package: models survive moves.
HOMES = {
    "variance": "PCA",
    "extractors": "MDDMp MDDMf MVMD LabelCCA OPLS OCM MLSI MLDA DMLDA",
    "hypergraph": "HypergraphSpectral",
    "classifiers": "LabelRidge SharedSubspaceClassifier ASOClassifier RankSVM MtSDA",
    "tuning": "LabelRidgeCV SharedSubspaceClassifierCV MtSDACV ThresholdTuner "
    "ProbabilityCalibrator LabelSets Audit audit",
    "mixture": "BestOf",
    "semi_supervised": "CNMF SGT",
    "kernel_features": "KernelFeatures",
    "linalg.data": "FactoredMatrix",
    "_rows": "factor",
    "_row_blocks": "row_blocks",
    "persistence": "save load to_onnx",
    "explanation": "Explanation explain",
    "comparison": "compare Comparison",
    "_discovery": "all_estimators",
}

#: Of models on the disk: types that are nobody's business, under names that last.
PARTS = {
    "linalg.kernel_map": "Kernel KernelMap",
    "linalg.moments": "Moments",
    "tables.kinds": "ColumnPlan",
    "tables.steps": "FillGaps ReadCategories ReadDates ReadNumbers ReadTexts ReadVectors",
    "tuning.calibration": "Calibration",
    "tuning.promise": "Promise",
    "mixture.fitted": "FittedMember",
    "persistence.packing": "Words Vocabulary",
    "semi_supervised.transducer": "ConstantLabels",
    "semi_supervised.graphs": "CosineSimilarity ExplicitSimilarity NeighbourGraph",
    "semi_supervised.labelled_rows": "LabelModel",
    "semi_supervised.cnmf.runs": "Extension",
    "semi_supervised.cnmf.starts": "GivenStart ModelStart NeighbourStart",
}
