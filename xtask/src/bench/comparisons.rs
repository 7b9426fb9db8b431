//! What is compared with what, and the ratio that is wanted.

/// The other side of a comparison.
#[derive(Clone, Copy)]
pub(super) enum Rival {
    /// A number of our own that is a ratio already, or has no other side.
    None,
    /// The most that our figure may be.
    Limit(f64),
    /// Another job of ours, and the name of its figure.
    Ourselves(&'static [&'static str], &'static str),
    /// A script in `benches/peers/`, which needs this Python module.
    Peer { module: &'static str, script: &'static str, arguments: &'static [&'static str] },
}

/// One line of the table.
pub(super) struct Comparison {
    pub name: &'static str,
    /// A job of ours: the words of the program `jobs`, or `neuncut` and its words.
    pub ours: &'static [&'static str],
    /// The name of the number in the JSON line.
    pub figure: &'static str,
    pub unit: &'static str,
    /// Whether more is better.
    pub more: bool,
    pub rival: Rival,
    /// How many times as fast we must be at least; zero wants nothing.
    pub target: f64,
    /// The name of a number that says how good the result is.
    pub quality: Option<&'static str>,
    /// Jobs of minutes are not run five times.
    pub most_rounds: usize,
}

const LARGE: [&str; 10] =
    ["--batch", "3000", "--dim", "768", "--hidden", "512,512,512", "--clusters", "1000", "--steps", "10"];

const IN_MEMORY: &[&str] = &["labels", "--model", "MODEL", "--data", "EMBEDDINGS"];

const STEP: Comparison = Comparison {
    name: "",
    ours: &["step"],
    figure: "step_ms",
    unit: "ms a step",
    more: false,
    rival: Rival::None,
    target: 0.0,
    quality: None,
    most_rounds: 5,
};

/// Every comparison. `DATA`, `EMBEDDINGS`, `MODEL`, `OURS` and so on stand for files that are made first.
pub(super) fn all() -> Vec<Comparison> {
    let torch = |script, arguments| Rival::Peer { module: "torch", script, arguments };
    let faiss = |arguments| Rival::Peer { module: "faiss", script: "faiss_jobs.py", arguments };
    vec![
        Comparison { name: "step, dense heat kernel", rival: torch("torch_jobs.py", &["step"]), target: 1.3, ..STEP },
        Comparison {
            name: "step, 10 neighbours",
            ours: &["step", "--neighbors", "10"],
            rival: torch("torch_jobs.py", &["step", "--neighbors", "10"]),
            target: 2.0,
            ..STEP
        },
        Comparison {
            name: "step, large (batch 3000, 768-512-512-512-1000)",
            ours: with_large("step"),
            rival: torch("torch_jobs.py", with_large("step")),
            target: 1.3,
            ..STEP
        },
        Comparison {
            name: "step, default affinity in a batch, beside the dense kernel",
            ours: &["step", "--affinity", "default"],
            rival: Rival::Ourselves(&["step"], "step_ms"),
            target: 1.0 / 1.2,
            ..STEP
        },
        Comparison {
            name: "predict in memory, 500-512-512-10",
            ours: IN_MEMORY,
            figure: "rows_per_s",
            unit: "rows per second",
            more: true,
            rival: torch("torch_jobs.py", &["predict"]),
            target: 1.5,
            quality: Some("certain"),
            ..STEP
        },
        Comparison {
            name: "memberships in memory, share of the GEMM rate",
            ours: &["memberships"],
            figure: "of_gemm",
            unit: "of the rate",
            more: true,
            target: 0.75,
            ..STEP
        },
        from_file(
            "predict from npy to npy, beside memory",
            &["neuncut", "predict", "MODEL", "EMBEDDINGS", "--json", "--quiet", "-o", "LABELS"],
        ),
        from_file(
            "predict from parquet to npy, beside memory",
            &["neuncut", "predict", "MODEL", "PARQUET", "--json", "--quiet", "-o", "LABELS"],
        ),
        Comparison {
            name: "predict 10,000,000 x 2 from npy to npy",
            ours: &["neuncut", "predict", "BLOBS-MODEL", "BLOBS-10000000", "--json", "--quiet", "-o", "LABELS"],
            figure: "seconds",
            unit: "s",
            most_rounds: 2,
            ..STEP
        },
        Comparison {
            name: "start: neuncut --help",
            ours: &["start", "--program", "PROGRAM"],
            figure: "start_ms",
            unit: "ms",
            rival: Rival::Limit(20.0),
            target: 1.0,
            most_rounds: 1,
            ..STEP
        },
        Comparison {
            name: "10 nearest neighbours, 70,000 x 500",
            ours: &["knn", "--data", "DATA"],
            figure: "seconds",
            unit: "s",
            rival: faiss(&["knn", "--data", "DATA", "--ours", "OURS"]),
            target: 1.0 / 1.3,
            quality: Some("recall"),
            most_rounds: 2,
            ..STEP
        },
        Comparison {
            name: "k-means, 70,000 x 500, k = 10, beside faiss",
            ours: &["kmeans", "--data", "DATA"],
            figure: "seconds",
            unit: "s",
            rival: faiss(&["kmeans", "--data", "DATA"]),
            target: 1.0 / 1.5,
            quality: Some("inertia"),
            most_rounds: 1,
            ..STEP
        },
        Comparison {
            name: "k-means, 70,000 x 500, k = 10, beside scikit-learn",
            ours: &["kmeans", "--data", "DATA"],
            figure: "seconds",
            unit: "s",
            rival: Rival::Peer {
                module: "sklearn",
                script: "sklearn_jobs.py",
                arguments: &["kmeans", "--data", "DATA"],
            },
            quality: Some("inertia"),
            most_rounds: 1,
            ..STEP
        },
        Comparison {
            name: "scattering, 32 x 32",
            ours: &["scattering"],
            figure: "ms_per_image",
            unit: "ms an image",
            rival: Rival::Peer { module: "kymatio", script: "kymatio_jobs.py", arguments: &[] },
            target: 30.0,
            most_rounds: 2,
            ..STEP
        },
    ]
}

/// Prediction from a file to a file, beside that of the same rows in memory: at most a quarter more time.
fn from_file(name: &'static str, ours: &'static [&'static str]) -> Comparison {
    let in_memory = Rival::Ourselves(IN_MEMORY, "seconds");
    Comparison { name, ours, figure: "seconds", unit: "s", rival: in_memory, target: 0.8, ..STEP }
}

/// A job's name with the sizes of the large job.
fn with_large(job: &'static str) -> &'static [&'static str] {
    Box::leak([&[job][..], &LARGE].concat().into_boxed_slice())
}
