//! `neuncut inspect`: what a model is and how it was trained.

use crate::args::InspectArgs;
use crate::report::{text, tree};
use crate::speech;
use neuncut::Result;
use neuncut::methods::Model;

pub fn run(args: InspectArgs) -> Result<()> {
    let model = Model::load(&args.model)?;
    if args.tree {
        speech::answer(tree::of(&model)?.trim_end())
    } else if args.names {
        speech::answer(text::names_csv(&model).trim_end())
    } else if args.json {
        speech::answer(format_args!("{:#}", text::inspect_json(&model)))
    } else {
        speech::answer(text::inspect(&model))
    }
}
