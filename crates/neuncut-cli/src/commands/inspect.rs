//! `neuncut inspect`: what a model is and how it was trained.

use crate::args::InspectArgs;
use crate::report::text;
use crate::speech;
use neuncut::Result;
use neuncut::methods::Model;

pub fn run(args: InspectArgs) -> Result<()> {
    let model = Model::load(&args.model)?;
    if args.json {
        speech::answer(format_args!("{:#}", text::inspect_json(&model)))
    } else {
        speech::answer(text::inspect(&model))
    }
}
