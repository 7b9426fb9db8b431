//! `neuncut synth`: writes a synthetic data set in a stream.

use crate::args::{SynthArgs, Talk};
use crate::interrupt;
use crate::plan::check_outputs;
use crate::progress::rows_bar;
use ndarray::ArrayView2;
use neuncut::data::place_all;
use neuncut::data::synthetic::Shape;
use neuncut::data::writers::{self, Columns};
use neuncut::{Error, Result, Seed};

/// Rows made at a time.
const CHUNK: u64 = 1 << 16;

pub fn run(args: SynthArgs, talk: Talk) -> Result<()> {
    if args.n == 0 {
        return Err(Error::config("rows", 0, "at least 1"));
    }
    let mut generator = args.shape.parse::<Shape>()?.generator(args.noise, Seed(args.seed))?;
    check_outputs(&[("output", Some(&args.output)), ("truth", args.truth.as_deref())], &[])?;
    let width = generator.dimension();
    let mut rows_out = writers::create_matrix(&args.output, width)?;
    let mut truth_out = args.truth.as_deref().map(|path| writers::create(path, Columns::Labels)).transpose()?;
    let bar = rows_bar("writing", Some(args.n), talk);
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    let mut done = 0;
    while done < args.n {
        interrupt::check()?;
        let count = CHUNK.min(args.n - done) as usize;
        rows.clear();
        labels.clear();
        generator.fill(count, &mut rows, &mut labels);
        let view = ArrayView2::from_shape((count, width), &rows).map_err(|e| Error::Degenerate(e.to_string()))?;
        rows_out.write(view)?;
        if let Some(out) = &mut truth_out {
            out.write(&labels, None)?;
        }
        done += count as u64;
        bar.set_position(done);
    }
    let (rows, truth) = (rows_out.complete()?, truth_out.map(|out| out.complete()).transpose()?);
    place_all(std::iter::once(rows).chain(truth))?;
    bar.finish_and_clear();
    Ok(())
}
