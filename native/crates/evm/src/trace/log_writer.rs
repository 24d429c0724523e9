//! JSON of struct logs. The cost of an instruction can be set until the next one is added, and its storage can lose
//! cells until the end, so the storage is filled in last.

use super::json::JsonWriter;
use super::storage_map::StorageMap;
use super::{StepView, opcode_name};
use rhizome_primitives::U256;

const WORD: usize = 32;

/// Instructions written so far.
#[derive(Debug)]
pub(crate) struct LogWriter {
    text: JsonWriter,
    /// The part of the last instruction after its cost.
    tail: JsonWriter,
    cost: u64,
    /// Version of the storage that the last instruction shows.
    storage: Option<usize>,
    empty: bool,
    /// Offset in the text, and the version of the storage that belongs there.
    storage_slots: Vec<(usize, usize)>,
    versions: Vec<StorageMap>,
    /// Bytes that the storage will add.
    storage_bytes: usize,
    max_bytes: usize,
}

impl LogWriter {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            text: JsonWriter::default(),
            tail: JsonWriter::default(),
            cost: 0,
            storage: None,
            empty: true,
            storage_slots: Vec::new(),
            versions: Vec::new(),
            storage_bytes: 0,
            max_bytes,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text.len() + self.tail.len() + self.storage_bytes > self.max_bytes
    }

    pub(crate) fn add_version(&mut self, map: StorageMap) -> usize {
        self.versions.push(map);
        self.versions.len() - 1
    }

    pub(crate) fn version(&self, version: usize) -> &StorageMap {
        &self.versions[version]
    }

    pub(crate) fn version_mut(&mut self, version: usize) -> &mut StorageMap {
        &mut self.versions[version]
    }

    pub(crate) fn set_cost(&mut self, cost: u64) {
        self.cost = cost;
    }

    pub(crate) fn replace_cost(&mut self, cost: u64) -> u64 {
        std::mem::replace(&mut self.cost, cost)
    }

    /// Adds an instruction with the requested parts of the machine.
    pub(crate) fn add(
        &mut self,
        view: &StepView<'_>,
        memory: Option<&[u8]>,
        stack: Option<&[U256]>,
        storage: Option<usize>,
    ) {
        self.end_instruction();
        self.text.raw(if self.empty { "{\"op\":" } else { ",{\"op\":" });
        self.empty = false;
        match opcode_name(view.opcode) {
            Some(name) => self.text.string(name),
            None => self.text.raw("null"),
        }
        self.text.raw(",\"depth\":");
        self.text.number(view.depth as u64);
        self.text.raw(",\"pc\":");
        self.text.number(view.pc as u64);
        self.text.raw(",\"gas\":");
        self.text.number(view.gas);
        self.text.raw(",\"gasCost\":");
        if let Some(memory) = memory {
            self.tail.raw(",\"memory\":[");
            let mut first = true;
            for word in memory.chunks(WORD) {
                self.tail.separate(&mut first);
                self.tail.raw("\"");
                self.tail.digits(word);
                self.tail.raw("\"");
            }
            self.tail.raw("]");
        }
        if let Some(stack) = stack {
            self.tail.raw(",\"stack\":[");
            let mut first = true;
            for word in stack {
                self.tail.separate(&mut first);
                self.tail.word(word);
            }
            self.tail.raw("]");
        }
        if let Some(version) = storage {
            self.storage_bytes += self.versions[version].json_len();
        }
        self.storage = storage;
        self.cost = 0;
    }

    fn end_instruction(&mut self) {
        if self.empty {
            return;
        }
        self.text.number(self.cost);
        self.text.raw(self.tail.as_str());
        self.tail.clear();
        if let Some(version) = self.storage.take() {
            self.text.raw(",\"storage\":");
            self.storage_slots.push((self.text.len(), version));
        }
        self.text.raw("}");
    }

    /// Writes all instructions, separated by commas.
    pub(crate) fn write(mut self, json: &mut JsonWriter) {
        self.end_instruction();
        let text = self.text.as_str();
        let mut written = 0;
        for (offset, version) in self.storage_slots {
            json.raw(&text[written..offset]);
            self.versions[version].write(json);
            written = offset;
        }
        json.raw(&text[written..]);
    }
}
