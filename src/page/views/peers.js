/** @import { AdminPeer, Child, Context, NetworkStatus, PeerStatus, ViewMaker } from '../types.js' */
import { formatBytes, formatInteger, formatShare } from '../chain/amounts.js'
import { visibleText } from '../chain/text.js'
import { el, fill } from '../ui/dom.js'
import { blockLink, wholeHash } from '../ui/links.js'
import { facts, heading, notice, section, table } from '../ui/parts.js'
import { age, spanText } from '../ui/time.js'

const METHOD = 'rsk_getPeerStatus'
/** Tells addresses to whom the node lets ask for them. */
const ADDRESS_METHOD = 'admin_peers'
/** Milliseconds between two looks: the node counts once a second. */
const INTERVAL = 2000

/** @type {Readonly<Record<string, string>>} */
const STAGES = {
  waiting: 'waiting for peers',
  connectionPoint: 'looking for the last common block',
  headers: 'checking headers',
  state: 'fetching the state of a snapshot',
  blocks: 'executing blocks',
  following: 'following the newest blocks',
  halted: 'halted',
}

/** Who this node is connected to, and how far synchronisation is. @type {ViewMaker} */
export const peersView = async (context, _parts, signal) => {
  const title = 'Peers'
  if (!context.methods.has(METHOD)) {
    return { title, content: [heading(title), notice('This node does not tell of its peers.')] }
  }
  const shown = el('div', {})
  const show = async () => fill(shown, await sections(context, signal))
  await show()
  const timer = setInterval(() => {
    if (signal.aborted) clearInterval(timer)
    else show().catch(() => {})
  }, INTERVAL)
  return { title, content: [heading(title), shown] }
}

/**
 * @param {Context} context
 * @param {AbortSignal} signal
 * @returns {Promise<Child>}
 */
async function sections(context, signal) {
  /** @type {NetworkStatus | null} */
  const status = await context.client.call(METHOD, [], signal)
  if (status === null) return notice('This node has no peers: blocks come from files, miners or users.')
  const addresses = await addressesOf(context, signal)
  const { halted, isDown, clockBehind, clockAhead } = status
  return [
    isDown ? notice('The part of the node that talks to peers failed; it is started again.') : null,
    halted === null ? null : haltNotice(halted),
    clockBehind === null
      ? null
      : notice(
          `The clock of the node seems to be at least ${formatInteger(BigInt(clockBehind))} s behind those of block makers.`,
        ),
    clockAhead === null
      ? null
      : notice(
          `The clock of the node seems to be about ${formatInteger(BigInt(clockAhead))} s ahead of those of block makers.`,
        ),
    section('Synchronisation', ...progress(status.sync)),
    section(
      `Connected (${status.peers.length})`,
      facts([
        ['Takes connections', status.listening ? 'yes' : 'no'],
        [
          'Nodes that discovery knows',
          status.knownNodes === null ? null : formatInteger(BigInt(status.knownNodes)),
        ],
        ['Received', formatBytes(BigInt(status.bytesIn))],
        ['Sent', formatBytes(BigInt(status.bytesOut))],
      ]),
      peerTable(status.peers, addresses),
    ),
  ]
}

/**
 * Peers with addresses; null where the caller may not ask for them.
 * @param {Context} context
 * @param {AbortSignal} signal
 */
async function addressesOf(context, signal) {
  if (!context.methods.has(ADDRESS_METHOD)) return null
  /** @type {Promise<readonly AdminPeer[] | null>} */
  const peers = context.client.call(ADDRESS_METHOD, [], signal)
  return peers.catch(() => null)
}

/** @param {NonNullable<NetworkStatus['halted']>} halted */
function haltNotice({ number, hash, rule, expected, found }) {
  return notice(
    `Halted: peers insist on block ${formatInteger(BigInt(number))}, which this node refuses. It follows them no further.`,
    facts([
      ['Block', wholeHash(hash, 'block hash')],
      ['Rule', el('code', {}, rule)],
      ['Expected', el('code', {}, visibleText(expected))],
      ['Found', el('code', {}, visibleText(found))],
    ]),
  )
}

/** @param {NetworkStatus['sync']} sync */
function progress(sync) {
  const [current, highest] = [BigInt(sync.currentBlock), BigInt(sync.highestBlock)]
  const share = formatShare(current, highest)
  return [
    ...(sync.syncing
      ? [
          el(
            'progress',
            { value: Number(current), max: Number(highest), 'aria-label': 'Blocks synchronised' },
            share,
          ),
        ]
      : []),
    facts([
      ['Stage', STAGES[sync.stage] ?? sync.stage],
      [
        'Block',
        sync.syncing
          ? [blockLink(current), ` of ${formatInteger(highest)}${share === '' ? '' : `, ${share}`}`]
          : blockLink(current),
      ],
      ['Checked headers', sync.syncing ? `to ${formatInteger(BigInt(sync.checkedHeader))}` : null],
      [
        'Rate',
        sync.syncing
          ? `${sync.blocksPerSecond} blocks/s, ${sync.headersPerSecond} headers/s, from ${formatInteger(BigInt(sync.peersUsed))} peers`
          : null,
      ],
      ['Time left', sync.secondsLeft === null ? null : `about ${spanText(Number(sync.secondsLeft))}`],
    ]),
  ]
}

/**
 * @param {readonly PeerStatus[]} peers
 * @param {readonly AdminPeer[] | null} addresses
 */
function peerTable(peers, addresses) {
  const now = Math.floor(Date.now() / 1000)
  const address = (/** @type {PeerStatus} */ { id }) =>
    addresses?.find((peer) => peer.id.startsWith(id))?.network.remoteAddress ?? ''
  return table(
    'Peers',
    [
      { title: 'Client' },
      ...(addresses === null ? [] : [{ title: 'Address', kind: /** @type {const} */ ('wide') }]),
      { title: 'Direction', kind: 'wide' },
      { title: 'Best block', kind: 'end' },
      { title: 'Score', kind: 'end' },
      { title: 'In', kind: 'end wide' },
      { title: 'Out', kind: 'end wide' },
      { title: 'Since', kind: 'end wide' },
    ],
    peers.map((peer) => [
      el('bdi', { class: 'said', title: `node id ${peer.id}…` }, visibleText(peer.client)),
      ...(addresses === null ? [] : [el('span', { class: 'said' }, address(peer))]),
      peer.inbound ? 'came' : 'dialled',
      peer.number === null ? '' : formatInteger(BigInt(peer.number)),
      String(peer.score),
      formatBytes(BigInt(peer.bytesIn)),
      formatBytes(BigInt(peer.bytesOut)),
      age(now - Number(peer.connectedSeconds)),
    ]),
    'No peer is connected.',
  )
}
