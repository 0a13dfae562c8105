"""Sun, Ji & Ye (2008): hypergraph spectral learning, table 2."""

from colabel.papers import protocol as paper
from colabel.papers.claims import above, as_close
from colabel.papers.sun2008_choices import CHOICES, DIFFERS, PLAIN, WITH_RIDGE
from colabel.papers.sun2008_methods import CITATION, LAPLACIANS, MEASURES, SOURCES, methods

MEAN_ROC = paper.figures("""
method     | Scene | Yeast | Arts  | Computers
HG c       | .8548 | .6460 | .5215 | .5369
HG c λ     | .9216 | .6496 | .8106 | .7968
lsHG c     | .8598 | .6493 | .5213 | .5375
lsHG c λ   | .9255 | .6523 | .8130 | .7996
HG *       | .8546 | .6529 | .5209 | .5384
HG * λ     | .9216 | .6558 | .8051 | .7970
lsHG *     | .8597 | .6540 | .5209 | .5381
lsHG * λ   | .9255 | .6565 | .8067 | .7999
HG z       | .8547 | .6518 | .5206 | .5389
HG z λ     | .9216 | .6521 | .8074 | .7991
lsHG z     | .8597 | .6537 | .5205 | .5389
lsHG z λ   | .9254 | .6559 | .8087 | .8025
HG cca     | .8538 | .6547 | .5213 | .5341
HG cca λ   | .9215 | .6555 | .8015 | .7917
lsHG cca   | .8586 | .6561 | .5215 | .5340
lsHG cca λ | .9255 | .6568 | .8036 | .7952
RankSVM    | .9001 | .6294 | .8073 | .7893
""")

CLAIMS = (
    paper.Claim(
        "regularised algorithms always outperform those without",
        "table 2",
        above({f"{form} λ": form for form in PLAIN}, "mean ROC"),
    ),
    paper.Claim(
        "all proposed methods with regularisation perform better than RankSVM",
        "table 2",
        above(dict.fromkeys(WITH_RIDGE, "RankSVM"), "mean ROC"),
    ),
    paper.Claim(
        "the performance of the least-squares form is close to that of the exact one",
        "table 2",
        as_close(
            {f"lsHG {s}{end}": f"HG {s}{end}" for s in LAPLACIANS for end in ("", " λ")},
            "mean ROC",
            MEAN_ROC,
        ),
    ),
    paper.Claim(
        "three different similarity matrices lead to similar performance",
        "table 2",
        as_close(
            {f"{form} {s} λ": f"{form} c λ" for form in ("HG", "lsHG") for s in ("*", "z")},
            "mean ROC",
            MEAN_ROC,
        ),
    ),
    paper.Claim(
        "an SVM for each label is less effective than RankSVM",
        "section 5.2",
        above({"RankSVM": "SVM"}, "mean ROC"),
    ),
)

PROTOCOL = paper.Protocol(
    name="sun2008",
    citation=CITATION,
    about=(
        "{splits} random splits with 900 (Scene, Yeast) or 2000 training rows; labels of fewer "
        "than 50 rows are left out; texts by their 2000 most frequent terms, TF-IDF. The mean ROC "
        "score is the mean of the labels' AUC. HG is exact, lsHG the least-squares approximation, "
        "with the Laplacians c (clique), * (star), z (Zhou) and cca; λ has a ridge, found with "
        "3-fold cross-validation among those of the paper's figures 3 and 4, as is the C of "
        "RankSVM and of one SVM for each label, which is not in the paper's table. SVMs are "
        "LIBSVM's, with the hinge and a free intercept; on the directions, as they are, C = 1."
    ),
    sources=SOURCES,
    tables={2: ("Scene", "Yeast", "Arts", "Computers")},
    methods=methods(),
    measures=MEASURES,
    published={"mean ROC": MEAN_ROC},
    n_splits=5,
    paper_splits=10,
    differs=DIFFERS,
    claims=CLAIMS,
    since="2026-11-18",
    choices=CHOICES,
)
