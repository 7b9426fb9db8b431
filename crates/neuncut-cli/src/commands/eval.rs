//! `neuncut eval`: scores labels against the truth.

use crate::args::{EvalArgs, Talk};
use crate::speech;
use neuncut::data::read_labels;
use neuncut::metrics::{encode, scores};
use neuncut::{Error, Result};

pub fn run(args: EvalArgs, talk: Talk) -> Result<()> {
    let found = read_labels(&args.labels, args.column.as_deref())?;
    let truth = read_labels(&args.truth, args.truth_column.as_deref())?;
    if found.len() != truth.len() {
        let problem = format!(
            "has {} labels, but {} has {}: give the truth of the same rows in the same order",
            found.len(),
            args.truth.display(),
            truth.len()
        );
        return Err(Error::data(args.labels, problem));
    }
    let (found, truth) = (encode(&found), encode(&truth));
    let scores = scores(&found, &truth)?;
    let count = |labels: &[u32]| labels.iter().max().map_or(0, |&largest| largest + 1);
    let (clusters, classes) = (count(&found), count(&truth));
    if args.json {
        let answer = serde_json::json!({
            "accuracy": scores.accuracy, "nmi": scores.nmi, "ari": scores.ari,
            "rows": found.len(), "clusters": clusters, "classes": classes,
        });
        return speech::answer(answer);
    }
    speech::answer(format_args!("ACC {:.4}  NMI {:.4}  ARI {:.4}", scores.accuracy, scores.nmi, scores.ari))?;
    speech::remark(talk, format_args!("{} rows, {clusters} clusters, {classes} classes", found.len()));
    Ok(())
}
