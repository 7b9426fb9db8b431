//! A temporary folder with copies of objects, each under its address, so that whatever reads and writes files can use them.

use super::{MARK, expand, in_two, is_address, keep_secret, public, store};
use crate::args::{Command, Files};
use crate::speech;
use neuncut::data::Scratch;
use neuncut::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Copies of objects that were taken in, and room for those to be written.
#[derive(Default)]
pub struct Shelf {
    /// The folder, once there is something to put into it.
    scratch: Option<Scratch>,
    /// What was taken in.
    copies: Vec<PathBuf>,
    /// What is to be put into a store: its file and its address.
    written: Vec<(PathBuf, String)>,
    /// The queries of addresses, which are no part of names.
    queries: Vec<String>,
}

impl Shelf {
    /// The file of this name, or a copy of the object.
    pub fn take_in(&mut self, name: &Path) -> Result<PathBuf> {
        if !is_address(name) {
            return Ok(name.to_owned());
        }
        keep_secret(name);
        let address = name.to_string_lossy();
        store::check(&address)?;
        let copy = self.place(&address)?;
        if !self.copies.contains(&copy) {
            store::fetch(&address, &copy)?;
            self.copies.push(copy.clone());
        }
        Ok(copy)
    }

    /// Where to write a file of this name, or what becomes an object by [`Shelf::deliver`].
    pub fn room_for(&mut self, name: &Path) -> Result<PathBuf> {
        if !is_address(name) {
            return Ok(name.to_owned());
        }
        keep_secret(name);
        let address = name.to_string_lossy().into_owned();
        store::check(&address)?;
        let file = self.place(&address)?;
        self.written.push((file.clone(), address));
        Ok(file)
    }

    /// Puts what was written into its store, in the order in which room was made for it.
    pub fn deliver(&mut self) -> Result<()> {
        for (file, address) in self.written.drain(..) {
            if file.exists() {
                store::put(&file, &address)?;
                let _ = fs::remove_file(&file); // it goes with the folder otherwise
            }
        }
        Ok(())
    }

    /// Makes room on the disk: forgets copies, and what was not delivered.
    pub fn clear(&mut self) {
        for file in self.copies.drain(..).chain(self.written.drain(..).map(|(file, _)| file)) {
            let _ = fs::remove_file(file); // it goes with the folder otherwise
        }
    }

    /// The file of an address, in a folder that is there.
    fn place(&mut self, address: &str) -> Result<PathBuf> {
        let scratch = match self.scratch.take() {
            Some(scratch) => scratch,
            None => Scratch::create_in(&std::env::temp_dir())?,
        };
        let folder = self.scratch.insert(scratch).path();
        let (query, address) = (in_two(address).1, public(Path::new(address)));
        let address = address.to_string_lossy();
        let (scheme, rest) = address.split_once(MARK).unwrap_or_default();
        // addresses that differ in their queries alone are different objects
        let below = match query {
            "" => folder.join(scheme),
            _ => {
                let known = self.queries.iter().position(|other| other == query);
                let number = known.unwrap_or(self.queries.len());
                if known.is_none() {
                    self.queries.push(query.to_owned());
                }
                folder.join(format!("{scheme}-{number}"))
            }
        };
        speech::call(format!("{}/", below.display()), format!("{scheme}{MARK}"));
        let file = below.join(rest);
        let parent = file.parent().unwrap_or(&below);
        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        Ok(file)
    }
}

/// Takes in the objects that a command reads, and makes room for those that it writes; the command then names files in their place.
/// Objects that are labelled one by one are left where they are.
pub fn take_in(command: &mut Command) -> Result<Shelf> {
    let mut shelf = Shelf::default();
    let one_by_one = command.is_one_by_one();
    let Files { read, written, folders } = command.files();
    if let Some(folder) = folders.into_iter().find(|folder| is_address(folder)) {
        let must = "a folder of this machine: it gets several files, which can be copied from there";
        return Err(Error::config("the folder of outputs", folder.display(), must));
    }
    for name in read {
        let copy = shelf.take_in(&name.path())?;
        name.set(copy);
    }
    for name in written.into_iter().filter(|_| !one_by_one) {
        let file = shelf.room_for(&name.path())?;
        name.set(file);
    }
    if let Some(data) = command.data().filter(|_| !one_by_one) {
        let names = expand(&data.files())?;
        if names.iter().any(is_address) {
            let copies = names.iter().map(|name| Ok(shelf.take_in(Path::new(name))?.to_string_lossy().into_owned()));
            data.local = Some(copies.collect::<Result<_>>()?);
        }
    }
    Ok(shelf)
}
