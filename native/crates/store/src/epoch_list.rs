//! Epochs of the log of nodes: into which ranges of positions it is cut, and which of them are kept.

use crate::node_log::START;

/// Version of the encoding.
const VERSION: u8 = 1;

/// Storage of a sealed epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A file of its own.
    File,
    /// Entries of the table of nodes: too large to be copied, such as the log of a node that was an archive.
    Table,
}

/// A sealed part of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// States that were kept while it was open; zero where they were not counted.
    pub(crate) blocks: u64,
    pub(crate) form: Form,
}

/// The log, cut. Positions between two epochs are unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EpochList {
    /// Sealed epochs, ascending.
    pub(crate) sealed: Vec<Epoch>,
    /// The log before this position is gone.
    pub(crate) first: u64,
    /// Start of the open epoch, which is in the table of nodes.
    pub(crate) open: u64,
    /// States that were kept since then.
    pub(crate) open_blocks: u64,
    /// The table of nodes has no entries before this position that belong to files or are gone.
    pub(crate) cleared: u64,
    /// Bytes of the log that were given up.
    pub(crate) dropped_bytes: u64,
    /// Nodes that were read to go through a whole state.
    pub(crate) state_nodes: u64,
}

impl Default for EpochList {
    fn default() -> Self {
        Self {
            sealed: Vec::new(),
            first: START,
            open: START,
            open_blocks: 0,
            cleared: START,
            dropped_bytes: 0,
            state_nodes: 0,
        }
    }
}

impl EpochList {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        let fields = [self.first, self.open, self.open_blocks, self.cleared, self.dropped_bytes, self.state_nodes];
        for field in fields {
            out.extend_from_slice(&field.to_be_bytes());
        }
        for epoch in &self.sealed {
            for field in [epoch.start, epoch.end, epoch.blocks, u64::from(epoch.form == Form::Table)] {
                out.extend_from_slice(&field.to_be_bytes());
            }
        }
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first()?;
        let (fields, partial) = rest.as_chunks::<8>();
        if *version != VERSION || !partial.is_empty() {
            return None;
        }
        let mut fields = fields.iter().map(|bytes| u64::from_be_bytes(*bytes));
        let mut list = Self {
            sealed: Vec::new(),
            first: fields.next()?,
            open: fields.next()?,
            open_blocks: fields.next()?,
            cleared: fields.next()?,
            dropped_bytes: fields.next()?,
            state_nodes: fields.next()?,
        };
        while let Some(start) = fields.next() {
            let (end, blocks) = (fields.next()?, fields.next()?);
            let form = match fields.next()? {
                0 => Form::File,
                1 => Form::Table,
                _ => return None,
            };
            list.sealed.push(Epoch { start, end, blocks, form });
        }
        Some(list)
    }

    /// End of the newest sealed epoch that at least `blocks` states came after, if a state with this floor may have
    /// nodes in it.
    pub(crate) fn end_before(&self, blocks: u64, floor: u64) -> Option<u64> {
        let mut after = self.open_blocks;
        for epoch in self.sealed.iter().rev() {
            if epoch.end <= floor {
                return None;
            }
            if after >= blocks {
                return Some(epoch.end);
            }
            after += epoch.blocks;
        }
        None
    }

    /// End of the newest sealed epoch of which a state with this floor has nothing.
    pub(crate) fn end_below(&self, floor: u64) -> Option<u64> {
        self.sealed.iter().rev().map(|epoch| epoch.end).find(|end| *end <= floor)
    }

    /// The list without what ends up to a position, and what was taken out.
    pub(crate) fn without(&self, end: u64) -> (Self, Vec<Epoch>) {
        let mut list = self.clone();
        let kept = list.sealed.partition_point(|epoch| epoch.end <= end);
        let dropped: Vec<_> = list.sealed.drain(..kept).collect();
        for epoch in &dropped {
            list.first = epoch.end;
            list.dropped_bytes += epoch.end - epoch.start;
            if epoch.form == Form::Table {
                list.cleared = list.cleared.min(epoch.start);
            }
        }
        (list, dropped)
    }

    /// The first range of the table of nodes, up to the open epoch, whose entries are of no use.
    pub(crate) fn useless(&self) -> Option<(u64, u64)> {
        let mut from = self.cleared;
        for epoch in self.sealed.iter().filter(|epoch| epoch.form == Form::Table) {
            if epoch.end <= from {
                continue;
            }
            if from < epoch.start {
                return Some((from, epoch.start));
            }
            from = epoch.end;
        }
        (from < self.open).then_some((from, self.open))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn list() -> EpochList {
        let epoch = |start, end, form| Epoch { start, end, blocks: 10, form };
        EpochList {
            sealed: vec![epoch(1, 100, Form::Table), epoch(100, 200, Form::File), epoch(210, 300, Form::File)],
            open: 300,
            open_blocks: 5,
            ..EpochList::default()
        }
    }

    #[test]
    fn lists_are_read_as_they_were_written() {
        let list = EpochList { first: 1, cleared: 7, dropped_bytes: 8, state_nodes: 9, ..list() };
        let bytes = list.encode();
        assert_eq!(EpochList::decode(&bytes).unwrap(), list);
        assert_eq!(EpochList::decode(&bytes[..bytes.len() - 1]), None);
        assert_eq!(EpochList::decode(&bytes[..bytes.len() - 8]), None);
        assert_eq!(EpochList::decode(&[]), None);
    }

    #[test]
    fn an_epoch_is_copied_once_enough_blocks_came_after_it() {
        let list = list();
        assert_eq!(list.end_before(4, 1), Some(300));
        assert_eq!(list.end_before(6, 1), Some(200));
        assert_eq!(list.end_before(16, 1), Some(100));
        assert_eq!(list.end_before(26, 1), None);
        assert_eq!(list.end_before(16, 100), None);
        assert_eq!(list.end_before(6, 199), Some(200));
        assert_eq!(list.end_below(99), None);
        assert_eq!(list.end_below(200), Some(200));
    }

    #[test]
    fn entries_of_files_and_of_what_is_gone_are_useless() {
        let list = list();
        assert_eq!(list.useless(), Some((100, 300)));
        let (list, dropped) = EpochList { cleared: 300, ..list }.without(200);
        assert_eq!((dropped.len(), list.first, list.dropped_bytes), (2, 200, 199));
        assert_eq!(list.useless(), Some((1, 300)));
        assert_eq!(EpochList { cleared: 300, ..list }.useless(), None);
    }
}
