//! Entries that are kept but not yet durable. They are readable like all others.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::batch::Batch;

#[derive(Default)]
struct Layers {
    fresh: Batch,
    /// Entries that a commit is writing; they stay readable until the write is done.
    writing: Option<Arc<Batch>>,
}

#[derive(Default)]
pub(crate) struct Pending(RwLock<Layers>);

impl Pending {
    /// Looks an entry up, in the newer layer first.
    pub(crate) fn get<T>(&self, look: impl Fn(&Batch) -> Option<T>) -> Option<T> {
        let layers = self.0.read();
        look(&layers.fresh).or_else(|| layers.writing.as_deref().and_then(look))
    }

    /// Adds entries.
    pub(crate) fn add(&self, add: impl FnOnce(&mut Batch)) {
        add(&mut self.0.write().fresh);
    }

    /// Trie nodes and long values that are waiting.
    pub(crate) fn nodes(&self) -> usize {
        let layers = self.0.read();
        let nodes = |batch: &Batch| batch.nodes + batch.values.len();
        nodes(&layers.fresh) + layers.writing.as_deref().map_or(0, nodes)
    }

    /// Starts to write everything that is waiting. [`Self::finish`] must follow.
    pub(crate) fn start(&self) -> Arc<Batch> {
        let mut layers = self.0.write();
        let batch = Arc::new(std::mem::take(&mut layers.fresh));
        layers.writing = Some(batch.clone());
        batch
    }

    /// Ends a write; after a failure its entries wait again.
    pub(crate) fn finish(&self, written: bool) {
        let mut layers = self.0.write();
        if let Some(batch) = layers.writing.take().filter(|_| !written) {
            layers.fresh.add_missing(&batch);
        }
    }
}
