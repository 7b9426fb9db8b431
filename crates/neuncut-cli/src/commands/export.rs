//! `neuncut export`: a model as an ONNX file.

use crate::args::{ExportArgs, Talk};
use crate::plan::check_outputs;
use crate::speech;
use neuncut::Result;
use neuncut::methods::Model;

pub fn run(args: ExportArgs, talk: Talk) -> Result<()> {
    let output = args.output.to_string_lossy();
    check_outputs(&[("output", Some(&*output))], std::slice::from_ref(&args.model))?;
    let model = Model::load(&args.model)?;
    model.export_onnx(&args.output)?;
    let (columns, k) = (model.columns, model.n_clusters());
    speech::remark(talk, format_args!("ONNX file for rows of {columns} columns and {k} clusters written to {output}"));
    Ok(())
}
