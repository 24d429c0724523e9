//! `updateCollections`: the periodic work of the Bridge, which the federation triggers (bridge.md §4.1).

use rhizome_primitives::contract::ContractContext;

use crate::events::pegout;
use crate::outcome::{Outcome, throw};
use crate::pegout::confirmed::sign_next_confirmed;
use crate::pegout::migration::migrate_funds;
use crate::pegout::requests::pay_requests;
use crate::storage::Frame;
use crate::svp;

pub(super) fn update_collections(context: &ContractContext<'_>, frame: &mut Frame<'_>) -> Outcome {
    if !frame.is_live_member(context.sender)? {
        return throw("only federation members may call updateCollections");
    }
    pegout::update_collections(frame, context.sender);
    migrate_funds(context, frame)?;
    pay_requests(context, frame)?;
    sign_next_confirmed(context, frame)?;
    frame.update_creation_heights()?;
    svp::process(context, frame)?;
    Ok(None)
}
