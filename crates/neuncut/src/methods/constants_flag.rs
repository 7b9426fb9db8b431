//! The constants of the ensemble as one flag, `--ensemble KEY=VALUE`, which may be typed several times.

use crate::ensemble::EnsembleOptions;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use serde_json::Value;

const HELP: &str =
    "A constant of the start, such as row-restarts=5 or graph-neighbors=[10,20]; may be given several times";

impl Args for EnsembleOptions {
    fn augment_args(command: Command) -> Command {
        command.arg(Arg::new("ensemble").long("ensemble").value_name("KEY=VALUE").action(ArgAction::Append).help(HELP))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for EnsembleOptions {
    fn from_arg_matches(typed: &ArgMatches) -> Result<Self, Error> {
        let mut options = Self::default();
        options.update_from_arg_matches(typed)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, typed: &ArgMatches) -> Result<(), Error> {
        for constant in typed.get_many::<String>("ensemble").into_iter().flatten() {
            self.set(constant).map_err(|why| {
                let text =
                    format!("ensemble is {constant}, but must be KEY=VALUE with a constant of the start ({why})\n");
                Error::raw(ErrorKind::ValueValidation, text)
            })?;
        }
        Ok(())
    }
}

impl EnsembleOptions {
    /// Sets one constant from `KEY=VALUE`.
    fn set(&mut self, constant: &str) -> Result<(), String> {
        let (key, value) = constant.split_once('=').ok_or("there is no =")?;
        let mut constants = serde_json::to_value(&*self).map_err(|e| e.to_string())?;
        let value: Value =
            serde_json::from_str(value).map_err(|_| format!("{value} is neither a number nor a list"))?;
        constants[key] = value;
        *self = serde_json::from_value(constants).map_err(|e| e.to_string())?;
        Ok(())
    }
}
