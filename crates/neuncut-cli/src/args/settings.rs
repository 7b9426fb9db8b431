//! The settings of every method as flags, made from the library's own options: what it has can be typed.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use neuncut::{Config, Error, Method, Result};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// Settings of any method, as they were typed.
#[derive(Debug, Clone)]
pub struct SettingArgs {
    typed: ArgMatches,
}

impl Args for SettingArgs {
    fn augment_args(command: Command) -> Command {
        let mut command = Config::augment_args_for_update(command.next_help_heading("Settings")).arg(method_flag());
        let mut known = BTreeSet::new();
        for flag in methods().flat_map(|method| method.flags()) {
            if known.insert(flag.get_id().clone()) {
                let flag = if flag.get_help_heading().is_none() { flag.help_heading("Method") } else { flag };
                command = command.arg(flag);
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingArgs {
    fn from_arg_matches(typed: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { typed: typed.clone() })
    }

    fn update_from_arg_matches(&mut self, typed: &ArgMatches) -> Result<(), clap::Error> {
        self.typed = typed.clone();
        Ok(())
    }
}

/// Which method. The short help leaves its many names to the long one.
fn method_flag() -> Arg {
    let short = "Clustering method, whose own settings are below; --help lists all [default: neuncut]";
    let labels_alone: Vec<_> =
        methods().filter(|method| !method.labels_new_rows()).map(|method| method.to_string()).collect();
    let long = format!(
        "Clustering method, whose own settings are below: {}. Labels (--labels-out) and no model come from {} [default: neuncut]",
        Method::NAMES.join(", "),
        labels_alone.join(", ")
    );
    let flag = Arg::new("method").long("method").value_name("METHOD").value_parser(Method::NAMES);
    flag.hide_possible_values(true).help(short).long_help(long)
}

fn methods() -> impl Iterator<Item = Method> {
    Method::NAMES.iter().filter_map(|name| Method::named(name))
}

/// Shows the settings of the method that was typed, and no others, with their defaults.
pub fn show_method(command: Command, words: &[OsString]) -> Command {
    let typed = words.windows(2).filter(|pair| pair[0] == "--method").map(|pair| pair[1].to_string_lossy());
    let equal = words.iter().filter_map(|word| Some(word.to_str()?.strip_prefix("--method=")?.into()));
    let method = typed.chain(equal).find_map(|name| Method::named(&name)).unwrap_or_default();
    let shown: BTreeSet<_> = method.flags().iter().map(|flag| flag.get_id().clone()).collect();
    let all: BTreeSet<_> = methods().flat_map(|method| method.flags()).map(|flag| flag.get_id().clone()).collect();
    let defaults = Config::of(method, 0).settings();
    let show = |arg: Arg| {
        let arg = if all.contains(arg.get_id()) { arg.clone().hide(!shown.contains(arg.get_id())) } else { arg };
        match (default_text(&defaults, &arg), arg.get_help()) {
            (Some(default), Some(help)) => {
                let help = format!("{help} [default: {default}]");
                arg.help(help)
            }
            _ => arg,
        }
    };
    let has_settings = |name: &str| matches!(name, "fit" | "compare" | "tune" | "deform");
    command.mut_subcommands(|sub| if has_settings(sub.get_name()) { sub.mut_args(show) } else { sub })
}

/// The default of a flag that is a setting, where it says something.
fn default_text(defaults: &Map<String, Value>, flag: &Arg) -> Option<String> {
    match defaults.get(flag.get_long()?)? {
        Value::String(word) if !word.is_empty() && flag.get_id() != "method" => Some(word.clone()),
        Value::Number(number) if flag.get_id() != "clusters" => {
            // numbers of 32 bits, as they are written
            Some(number.as_f64().filter(|_| number.is_f64()).map_or(number.to_string(), |n| (n as f32).to_string()))
        }
        Value::Array(list) if !list.is_empty() => Some(list.iter().map(Value::to_string).collect::<Vec<_>>().join(",")),
        _ => None,
    }
}

impl SettingArgs {
    /// Whether a setting was typed, by its field.
    pub fn is_typed(&self, field: &str) -> bool {
        self.typed.value_source(field) == Some(ValueSource::CommandLine)
    }

    /// The method that was typed.
    pub fn method(&self) -> Option<&str> {
        self.typed.get_one::<String>("method").map(String::as_str)
    }

    /// What was typed over a configuration; settings of another method are refused.
    pub fn over(&self, config: Config) -> Result<Config> {
        let config = match self.method() {
            Some(name) => config.with_settings(Map::from_iter([("method".into(), name.into())]))?,
            None => config,
        };
        self.check_owners(std::slice::from_ref(&config.method))?;
        self.where_known(config)
    }

    /// What was typed over a configuration, as far as its method has such settings.
    pub fn where_known(&self, mut config: Config) -> Result<Config> {
        let wrong = |e: clap::Error| Error::config("ensemble", "given", e.to_string());
        config.update_from_arg_matches(&self.typed).map_err(wrong)?;
        config.method.set_flags(&self.typed).map_err(wrong)?;
        Ok(config.settled())
    }

    /// Refuses what none of these methods has.
    pub fn check_owners(&self, allowed: &[Method]) -> Result<()> {
        let has = |method: &Method, id: &str| method.flags().iter().any(|flag| flag.get_id() == id);
        for id in self.typed.ids().map(clap::Id::as_str).filter(|id| self.is_typed(id)) {
            let owners: Vec<&str> = methods().filter(|m| has(m, id)).map(|m| m.name()).collect();
            if !owners.is_empty() && !allowed.iter().any(|method| has(method, id)) {
                let names: Vec<&str> = allowed.iter().map(Method::name).collect();
                let must = format!("left out: it is a setting of {}, not of {}", owners.join(", "), names.join(", "));
                return Err(Error::config(id.replace('_', "-"), "given", must));
            }
        }
        Ok(())
    }
}
