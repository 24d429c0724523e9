/** Lines of p2p-behaviour that are not compared with their kind, and why. */
export const LEFT_TO_OTHERS: readonly { readonly what: RegExp; readonly reason: string }[] = [
  ...named('a choice of our own', {
    'DISCONNECT as list': 'RSKj notes it and goes on; we close, as the sender has to',
    'wrong node id used in the handshake': 'RSKj says nothing and waits; we say nothing and close',
    'auth written in two parts \\(320 \\+ rest\\)': 'RSKj loses the bytes; we read it whole',
  }),
  ...named('what a node answers: it needs a chain', {
    'peer fetched whole chain from RSKj by headers and bodies': '',
    'request: .*': '',
    'peer that never sends STATUS: requests answered': '',
    '\\d+ requests in one clock minute \\(after \\d+ STATUS\\)': 'answers of a minute are counted',
  }),
  ...named('what a node does by itself: it needs a chain, and others to tell', {
    'RSKj synced from peer': '',
    'and synced from us': '',
    'BLOCK sent to RSKj': '',
    'NEW_BLOCK_HASH(ES| \\(17\\)) sent to RSKj': '',
    'BLOCK with unknown parent, block as a list instead of a string': '',
    'STATUS with higher total difficulty \\(\\d+ blocks? more\\)': '',
    'observers (after BLOCK|at the end)': '',
    'RSKj mined one block with \\d+ peers': '',
    'transaction sent to RSKj by RPC': '',
    'TRANSACTIONS .*': '',
    'the same TRANSACTIONS from observer \\d+': '',
    'mined|late': 'figures at the end of a scenario',
    'wrong header answered for the announced best': '',
  }),
  ...named('which connections a node keeps: it needs several', {
    'second connection with the same node id': '',
    'first connection after that': '',
    'connection from the same IP right after a drop': '',
    'connection with a banned node id': '',
    'same node id, another IP, while punished': '',
    'other node id, the punished IP': '',
    '\\d+th connection with maxActivePeers \\d+': '',
  }),
  ...named('timers of discovery, over a real socket', {
    'RSKj pinged us from its bootstrap list, then dialled TCP on the UDP port': '',
    'RSKj sent FIND_NODE at its refresh': '',
    'nodes of our NEIGHBORS pinged': '',
  }),
  ...named('answers of JSON-RPC', { 'sco_(peerList|bannedAddresses)': '' }),
]

function named(
  reason: string,
  lines: Readonly<Record<string, string>>,
): { readonly what: RegExp; readonly reason: string }[] {
  return Object.entries(lines).map(([what, more]) => ({
    what: new RegExp(`^(${what})$`),
    reason: more === '' ? reason : `${reason}: ${more}`,
  }))
}
