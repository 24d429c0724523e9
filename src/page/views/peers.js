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

/** What keeps the chain from going on. @type {Readonly<Record<string, (block: string) => string>>} */
const CAUSES = {
  refusedBlock: (block) => `peers insist on ${block}, which this node refuses. It follows them no further.`,
  ownBlock: (block) => `${block} of the chain of this node turned out to be invalid.`,
  refusedHeader: (block) => `peers insist on ${block}, which this node refuses or cannot read.`,
  undecidedBlock: (block) => `this node fails to judge ${block} of its peers. It tries again.`,
  earlyHeader: (block) => `${block} of the peers is of the future by the clock of the node.`,
  missingState: (block) =>
    `the chain of the peers leaves that of this node at ${block}, below the states that it keeps.`,
  sideBlockLimit: () => 'a heavier chain of the peers has too many blocks beside that of this node.',
  internalError: () => 'this node fails to follow the chain of its peers. It tries again.',
  snapshotError: () => 'this node fails at the snapshot that it is to begin with. It tries again.',
  backfillError: () => 'this node fails at the blocks below its snapshot. It tries again.',
  otherGenesis: () => 'the blocks below the snapshot lead to another genesis.',
}

/** @param {NonNullable<NetworkStatus['halted']>} halted */
function haltNotice({ cause, number, hash, rule, expected, found }) {
  const block = number === null ? 'a block' : `block ${formatInteger(BigInt(number))}`
  const said = (CAUSES[cause] ?? CAUSES['refusedBlock'])?.(block) ?? cause
  /** @param {string | null} value */
  const code = (value) => (value === null ? null : el('code', {}, visibleText(value)))
  return notice(
    `Halted: ${said} The log and /ready of the node say more.`,
    facts([
      ['Block', hash === null ? null : wholeHash(hash, 'block hash')],
      ['Rule', code(rule)],
      ['Expected', code(expected)],
      ['Found', code(found)],
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
