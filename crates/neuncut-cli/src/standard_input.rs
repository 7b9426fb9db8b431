//! Rows on standard input. `predict` reads lines as they come; otherwise they are put into a temporary file, because fitting reads them
//! again and Parquet begins at its end.

use crate::args::DataArgs;
use crate::{interrupt, speech};
use neuncut::data::{Scratch, Stream};
use neuncut::{Error, Result};
use std::io::{Read, Write, stdin};
use std::str::FromStr;

/// What is typed in place of a file, and what errors call it.
const NAME: &str = "-";
/// What systems call it.
const DEVICES: [&str; 2] = ["/dev/stdin", "/dev/fd/0"];
const WORDS: &str = "standard input";

/// Formats of standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipeFormat {
    input: String,
    /// That of results, where it was given apart.
    output: Option<String>,
}

/// Formats of lines that are read in order, once.
const LINES: [&str; 4] = ["csv", "tsv", "txt", "jsonl"];
/// Formats that no pipe can take.
const NO_PIPES: [&str; 2] = ["npy", "libsvm"];

impl FromStr for PipeFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (input, output) = text.split_once(',').map_or((text, None), |(input, output)| (input, Some(output)));
        let known = ["csv", "tsv", "txt", "jsonl", "parquet", "arrow", "npy", "libsvm"];
        match known.contains(&input) && output.is_none_or(|output| known.contains(&output)) {
            true => Ok(Self { input: input.into(), output: output.map(str::to_owned) }),
            false => Err(format!("possible values: {}, or two of them with a comma between", known.join(", "))),
        }
    }
}

impl PipeFormat {
    /// The format of results.
    pub fn of_results(&self) -> &str {
        self.output.as_deref().unwrap_or(&self.input)
    }

    /// Where results go: standard output in this format, or the file that was named. `piped` says that rows come from standard input,
    /// whose format says nothing about results where no pipe can take it: they are CSV then.
    pub fn target(format: Option<&Self>, output: &str, piped: bool) -> String {
        match format {
            Some(format) if output == NAME => match format.of_results() {
                no_pipe if format.output.is_none() && piped && NO_PIPES.contains(&no_pipe) => NAME.to_owned(),
                name => format!("{NAME}.{name}"),
            },
            _ => output.to_owned(),
        }
    }
}

/// A folder with the file, which goes when this is dropped.
pub struct Spooled {
    #[allow(dead_code, reason = "held until the rows have been read")]
    folder: Scratch,
}

/// Whether a name that was typed is that of standard input.
pub fn is_meant(name: &str) -> bool {
    name == NAME || DEVICES.contains(&name)
}

/// Takes in standard input where it is among the files, and notes where it lies; where rows are read `once`, lines are left to be read as
/// they come.
pub fn take_in(args: &mut DataArgs, once: bool) -> Result<Option<Spooled>> {
    if !args.is_piped() {
        return Ok(None);
    }
    let Some(format) = &args.format else {
        return Err(Error::config(
            "format",
            "not given",
            "the format of standard input, such as --format csv or jsonl",
        ));
    };
    if once && args.data.len() == 1 && LINES.contains(&&*format.input) {
        args.stream = Some(Stream::new(WORDS, format.input.clone(), stdin()));
        args.local = Some(vec![WORDS.to_owned()]);
        return Ok(None);
    }
    let folder = Scratch::create_in(&std::env::temp_dir())?; // one that a killed process left is swept
    let path = folder.path().join(format!("standard-input.{}", format.input));
    let mut file = std::fs::File::create(&path).map_err(Error::io("create", &path))?;
    let (mut input, mut block) = (stdin().lock(), vec![0; 1 << 18]);
    loop {
        interrupt::check()?;
        let count = input.read(&mut block).map_err(Error::io("read", WORDS))?;
        if count == 0 {
            break;
        }
        file.write_all(&block[..count]).map_err(Error::io("write", &path))?;
    }
    let path = path.to_string_lossy().into_owned();
    speech::call(path.clone(), WORDS.to_owned());
    args.local = Some(args.data.iter().map(|name| if is_meant(name) { path.clone() } else { name.clone() }).collect());
    Ok(Some(Spooled { folder }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_pipes() {
        let both: PipeFormat = "jsonl".parse().unwrap();
        assert_eq!(PipeFormat::target(Some(&both), "-", true), "-.jsonl");
        assert_eq!(PipeFormat::target(Some(&both), "a.csv", true), "a.csv");
        let two: PipeFormat = "parquet,csv".parse().unwrap();
        assert_eq!((two.input.as_str(), PipeFormat::target(Some(&two), "-", true)), ("parquet", "-.csv".into()));
        assert_eq!(PipeFormat::target(None, "-", false), "-");
        let array: PipeFormat = "npy".parse().unwrap();
        assert_eq!(PipeFormat::target(Some(&array), "-", true), "-", "rows of npy leave labels as text");
        assert_eq!(PipeFormat::target(Some(&array), "-", false), "-.npy", "asked for, and refused");
        assert!("xlsx".parse::<PipeFormat>().is_err() && "csv,".parse::<PipeFormat>().is_err());
    }
}
