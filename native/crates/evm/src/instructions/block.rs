//! BLOCKHASH.

use super::{Context, Step, pop, push};

pub(crate) fn block_hash(context: Context<'_>) -> Step {
    let [number] = pop(context.interpreter)?;
    let hash = context.host.ancestor_hash(number).map_err(|error| context.host.failed(error))?;
    push(context.interpreter, hash)
}
