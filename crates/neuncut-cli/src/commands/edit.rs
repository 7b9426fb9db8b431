//! `neuncut edit`: clusters merged and dropped by hand.

use crate::args::{EditArgs, Talk};
use crate::plan::check_outputs;
use crate::speech;
use neuncut::methods::Model;
use neuncut::{Error, Result};

pub fn run(args: EditArgs, talk: Talk) -> Result<()> {
    if args.merge.is_empty() && args.drop.is_empty() && !args.renumber {
        return Err(Error::config("edit", "asked for nothing", "given with --merge, --drop or --renumber"));
    }
    check_outputs(&[("output", Some(&*args.output.to_string_lossy()))], &[])?;
    let mut model = Model::load(&args.model)?;
    let before = model.n_alive();
    args.merge.iter().try_for_each(|clusters| model.merge(&clusters.0))?;
    args.drop.iter().try_for_each(|&cluster| model.drop_cluster(cluster))?;
    if args.renumber {
        model.renumber();
    }
    model.save(&args.output)?;
    let after = model.n_alive();
    speech::remark(talk, format_args!("{before} clusters became {after}; model written to {}", args.output.display()));
    Ok(())
}
