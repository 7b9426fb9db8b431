//! The files that commands read and write beside their rows, all in one place: objects in stores are put in the place of any of them.

use super::Command;
use std::path::{Path, PathBuf};

/// A file as it was typed, which can be exchanged for another.
pub trait FileName {
    fn path(&self) -> PathBuf;
    fn set(&mut self, path: PathBuf);
}

impl FileName for PathBuf {
    fn path(&self) -> PathBuf {
        self.clone()
    }

    fn set(&mut self, path: PathBuf) {
        *self = path;
    }
}

impl FileName for String {
    fn path(&self) -> PathBuf {
        self.into()
    }

    fn set(&mut self, path: PathBuf) {
        *self = path.to_string_lossy().into_owned();
    }
}

/// The files of a command.
#[derive(Default)]
pub struct Files<'a> {
    pub read: Vec<&'a mut dyn FileName>,
    pub written: Vec<&'a mut dyn FileName>,
    /// Folders that get several files.
    pub folders: Vec<&'a Path>,
}

/// Those of some files that were given.
fn given<'a, F: FileName + 'a, const N: usize>(files: [&'a mut Option<F>; N]) -> Vec<&'a mut dyn FileName> {
    files.into_iter().flatten().map(|file| file as &mut dyn FileName).collect()
}

/// Lists of files as one.
fn all<const N: usize>(lists: [Vec<&mut dyn FileName>; N]) -> Vec<&mut dyn FileName> {
    lists.into_iter().flatten().collect()
}

/// Files that are typed in any case.
fn always<F: FileName>(file: &mut F) -> Vec<&mut dyn FileName> {
    vec![file]
}

impl Command {
    /// Its files, without those of rows, which [`Command::data`] has.
    pub fn files(&mut self) -> Files<'_> {
        let nothing = Vec::new;
        let (read, written, folders) = match self {
            Self::Fit(args) => {
                let read = given([&mut args.like, &mut args.links, &mut args.truth, &mut args.base.config]);
                let results = given([&mut args.labels_out, &mut args.history, &mut args.report]);
                (read, all([results, given([&mut args.output])]), nothing())
            }
            Self::Predict(args) => (always(&mut args.model), always(&mut args.output), nothing()),
            Self::Choose(args) => (Vec::new(), given([&mut args.table, &mut args.svg]), nothing()),
            Self::Features(args) => {
                (given([&mut args.load]), all([always(&mut args.output), given([&mut args.save])]), nothing())
            }
            Self::Eval(args) => (all([always(&mut args.labels), always(&mut args.truth)]), Vec::new(), nothing()),
            Self::Compare(args) => {
                (all([always(&mut args.truth), given([&mut args.config])]), Vec::new(), vec![&*args.out])
            }
            Self::Tune(args) => (given([&mut args.base.config]), given([&mut args.svg]), nothing()),
            Self::Report(args) => {
                let rows = args.data.iter_mut().map(|file| file as &mut dyn FileName).collect();
                let read = all([always(&mut args.of), given([&mut args.truth]), rows]);
                (read, given([&mut args.output]), args.svg.as_deref().into_iter().collect())
            }
            Self::Synth(args) => (Vec::new(), all([always(&mut args.output), given([&mut args.truth])]), nothing()),
            Self::Deform(args) => {
                let read = all([always(&mut args.truth), given([&mut args.base.config])]);
                (read, given([&mut args.output, &mut args.truth_out]), nothing())
            }
            Self::Inspect(args) => (always(&mut args.model), Vec::new(), nothing()),
            Self::Rename(args) => {
                args.output.get_or_insert_with(|| args.model.clone());
                let read = all([always(&mut args.model), always(&mut args.names)]);
                (read, given([&mut args.output]), nothing())
            }
            Self::Edit(args) => {
                let rows = args.data.iter_mut().map(|file| file as &mut dyn FileName).collect();
                (all([always(&mut args.model), rows]), always(&mut args.output), nothing())
            }
            Self::Export(args) => (always(&mut args.model), always(&mut args.output), nothing()),
            Self::Demo(args) => (Vec::new(), Vec::new(), vec![&*args.out]),
            Self::Experiment(_) | Self::Completions { .. } | Self::Man { .. } => Default::default(),
        };
        Files { read, written, folders }
    }

    /// Whether rows are labelled file by file, into a folder.
    pub fn is_one_by_one(&self) -> bool {
        matches!(self, Self::Predict(args) if args.is_into_folder())
    }
}
