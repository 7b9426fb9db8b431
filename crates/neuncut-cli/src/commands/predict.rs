//! `neuncut predict`: labels rows of any number with a model.

use crate::args::{PredictArgs, Talk};
use crate::labeling::{check_width, label_table};
use crate::plan::{check_outputs, table_spec};
use crate::progress::rows_bar;
use crate::speech;
use neuncut::data::writers::{self, Columns};
use neuncut::data::{Table, TableSpec};
use neuncut::neural_cut::Model;
use neuncut::{Error, Result};
use std::time::Instant;

pub fn run(args: PredictArgs, talk: Talk) -> Result<()> {
    if args.json && args.output == "-" {
        return Err(Error::config("json", "on standard output together with the labels", "used with -o FILE"));
    }
    if args.batch == Some(0) {
        return Err(Error::config("batch", 0, "at least 1"));
    }
    let begin = Instant::now();
    let model = Model::load(&args.model)?;
    let image_size = model.config.features.leading_resize();
    let table = Table::open(&TableSpec { image_size, ..table_spec(&args.data) })?;
    check_outputs(&[("output", Some(&args.output))], &table.paths())?;
    check_width(&model, &table)?; // before the writer, which may begin with a header
    let columns = match args.proba {
        true => Columns::LabelsAndMemberships { n_clusters: model.n_clusters() },
        false => Columns::Labels,
    };
    let writer = writers::create(&args.output, columns)?;
    let bar = rows_bar("labelling", table.row_count(), talk);
    let rows = label_table(&model, table, writer, args.proba, args.batch, |done| bar.set_position(done))?;
    bar.finish_and_clear();
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        speech::answer(serde_json::json!({ "rows": rows, "seconds": seconds, "output": args.output }))?;
    }
    if args.output != "-" {
        let rate = rows as f64 / seconds;
        speech::remark(
            talk,
            format_args!("{rows} rows labelled in {seconds:.1} s ({rate:.0} rows a second) into {}", args.output),
        );
    }
    Ok(())
}
