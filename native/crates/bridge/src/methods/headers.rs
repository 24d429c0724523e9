//! Methods that add Bitcoin headers and register data of their blocks.

use rhizome_bitcoin::BlockHeader;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractContext;
use rhizome_primitives::rules::Rule;

use super::arguments::Arguments;
use crate::headers::chain::Received;
use crate::headers::coinbase::{self, CoinbaseInformation};
use crate::headers::receive::{self, Answer};
use crate::method::Method;
use crate::outcome::{Outcome, Stop, throw};
use crate::storage::Frame;

pub(super) fn run(
    method: Method,
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    arguments: Arguments<'_>,
) -> Option<Outcome> {
    Some(match method {
        Method::ReceiveHeaders => receive_headers(context, frame, arguments),
        Method::ReceiveHeader => receive_header(context, frame, arguments.bytes(0)),
        Method::RegisterBtcCoinbaseTransaction => register_coinbase(frame, arguments),
        _ => return None,
    })
}

/// True when bytes have the length of a header; a transaction count may follow before RSKIP124.
fn has_header_size(frame: &Frame<'_>, length: usize) -> bool {
    if frame.active(Rule::Rskip124) { length == 80 } else { (80..=85).contains(&length) }
}

fn receive_headers(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let public = frame.active(Rule::Rskip124) && !frame.active(Rule::Rskip200);
    if !public && !frame.is_live_member(context.sender)? {
        return throw("only federation members may call receiveHeaders");
    }
    let elements =
        || arguments.list(0).iter().map(|element| if let AbiValue::Bytes(bytes) = element { &bytes[..] } else { &[] });
    if !elements().all(|element| has_header_size(frame, element.len())) {
        return Err(Stop::IllegalArgument("a Bitcoin header has a wrong size"));
    }
    let headers = elements().map(parse).collect::<Result<Vec<_>, _>>()?;
    receive::receive_all(frame, &headers)?;
    Ok(None)
}

fn parse(element: &[u8]) -> Result<Received, Stop> {
    // A transaction count that is negative in 32 bits is not refused as an argument.
    if matches!(element.get(80..), Some([0xfe, _, _, _, high]) if high & 0x80 != 0) {
        return throw("the number of transactions is negative");
    }
    let header = BlockHeader::parse(element).map_err(|_| Stop::IllegalArgument("a Bitcoin header does not parse"))?;
    Ok(Received::new(header))
}

fn receive_header(context: &ContractContext<'_>, frame: &mut Frame<'_>, element: &[u8]) -> Outcome {
    let answer = if has_header_size(frame, element.len()) {
        let received = parse(element)?;
        receive::receive_one(frame, &received, context.block.timestamp as i64)?
    } else {
        Answer::WrongSize
    };
    Ok(Some(AbiValue::int(answer as i64)))
}

fn register_coinbase(frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let information = CoinbaseInformation {
        transaction: arguments.bytes(0),
        block: arguments.hash(1),
        tree: arguments.bytes(2),
        witness_root: arguments.hash(3),
        reserved: arguments.hash(4),
    };
    coinbase::register(frame, &information)?;
    Ok(None)
}
