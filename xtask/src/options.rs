//! Options of the form `--name value` behind a command of this program.

use std::str::FromStr;

/// The value behind an option; none where it was not given.
///
/// # Errors
/// A sentence for the user, where there is no value or it cannot be read.
pub(crate) fn value<T: FromStr>(options: &[&str], name: &str) -> Result<Option<T>, String> {
    let Some(at) = options.iter().position(|option| *option == name) else { return Ok(None) };
    let text = options.get(at + 1).ok_or_else(|| format!("{name} needs a value"))?;
    text.parse().map(Some).map_err(|_| format!("{name} {text} cannot be read"))
}

/// Refuses options that a command does not know; each takes a value.
///
/// # Errors
/// A sentence for the user, naming what is known.
pub(crate) fn check(options: &[&str], known: &[&str]) -> Result<(), String> {
    let unknown = options.iter().step_by(2).find(|option| !known.contains(option));
    unknown.map_or(Ok(()), |option| Err(format!("{option} is not known here: {} are", known.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_behind_names() {
        let options = ["--kills", "7", "--seed", "x"];
        assert_eq!(value(&options, "--kills"), Ok(Some(7)));
        assert_eq!(value::<u32>(&options, "--soak"), Ok(None));
        assert!(value::<u32>(&options, "--seed").is_err() && value::<u32>(&options[..1], "--kills").is_err());
        assert!(check(&options, &["--kills", "--seed"]).is_ok() && check(&options, &["--kills"]).is_err());
    }
}
