//! Receiving headers (bridge.md §3.2).

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::chain::{Chain, Received};
use crate::storage::Frame;
use rhizome_bitcoin::stored_header::StoredHeader;

/// Results of `receiveHeader`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Accepted = 0,
    /// The last accepted header is too recent.
    TooSoon = -1,
    /// The header is too far below the head.
    TooOld = -2,
    ParentUnknown = -3,
    AlreadyStored = -4,
    WrongSize = -20,
    /// The header is not acceptable for any other reason.
    Refused = -99,
}

/// Adds headers in order and skips those that cannot be added. Exception: until RSKIP434, the first header at or above
/// a fixed height of the main network ends the processing.
///
/// # Errors
/// [`ContractError::Failed`] when the store cannot be opened.
pub(crate) fn receive_all(frame: &mut Frame<'_>, headers: &[Received]) -> Result<(), ContractError> {
    let mut chain = Chain::open(frame)?;
    for received in headers {
        let parent = match frame.header(received.header.parent()) {
            Ok(Some(parent)) => parent,
            Ok(None) | Err(ContractError::Failed(_)) => continue,
            Err(error) => return Err(error),
        };
        if is_beyond_limit(frame, &parent) {
            break;
        }
        is_accepted(chain.add(frame, &parent, received))?;
    }
    Ok(())
}

/// Adds one header, at `now` in seconds.
///
/// # Errors
/// [`ContractError::Failed`] when the store cannot be opened.
pub(crate) fn receive_one(frame: &mut Frame<'_>, received: &Received, now: i64) -> Result<Answer, ContractError> {
    let mut chain = Chain::open(frame)?;
    if frame.header(received.hash)?.is_some() {
        return Ok(Answer::AlreadyStored);
    }
    let pause = frame.bridge().seconds_between_receive_header as i64;
    if frame.header_received_at()?.is_some_and(|last| now.wrapping_sub(last) < pause) {
        return Ok(Answer::TooSoon);
    }
    let Some(parent) = frame.header(received.header.parent())? else { return Ok(Answer::ParentUnknown) };
    let depth = chain.height().wrapping_sub(parent.height.wrapping_add(1));
    if i64::from(depth) > i64::from(frame.bridge().max_header_depth) {
        return Ok(Answer::TooOld);
    }
    if is_beyond_limit(frame, &parent) || !is_accepted(chain.add(frame, &parent, received))? {
        return Ok(Answer::Refused);
    }
    frame.set_header_received_at(now);
    Ok(Answer::Accepted)
}

fn is_accepted(added: Result<(), ContractError>) -> Result<bool, ContractError> {
    match added {
        Ok(()) => Ok(true),
        Err(ContractError::Failed(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// True when a header on top of `parent` has a height from which on the work of a chain may not fit twelve bytes.
fn is_beyond_limit(frame: &Frame<'_>, parent: &StoredHeader) -> bool {
    let limit = frame.bridge().too_much_work_height;
    let height = i64::from(parent.height.wrapping_add(1));
    !frame.active(Rule::Rskip434) && limit.is_some_and(|limit| height >= i64::from(limit))
}
