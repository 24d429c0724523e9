//! `registerBtcTransaction`: access (bridge.md §1.4).

use rhizome_primitives::contract::ContractContext;
use rhizome_primitives::rules::Rule;

use super::arguments::Arguments;
use crate::outcome::{Outcome, throw};
use crate::pegin;
use crate::storage::Frame;

/// Open to everybody from RSKIP199 on.
pub(super) fn register(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    if !frame.active(Rule::Rskip199) && !frame.is_live_member(context.sender)? {
        return throw("only federation members may call registerBtcTransaction");
    }
    pegin::register(context, frame, arguments.bytes(0), arguments.low_int(1), arguments.bytes(2))?;
    Ok(None)
}
