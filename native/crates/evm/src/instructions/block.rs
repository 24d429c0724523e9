//! BLOCKHASH.

use super::{Context, Step, pop, push};

pub(crate) fn block_hash(context: Context<'_>) -> Step {
    let [number] = pop(context.interpreter)?;
    let hash = context.host.ancestor_hash(number);
    push(context.interpreter, hash)
}
