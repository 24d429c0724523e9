import { encodeBytes, encodeList, encodeUnsigned } from '../../../../src/chain/codec/rlpWriter.ts'
import { FRAME_CODES } from '../../../../src/p2p/messages/codes.ts'
import { decodeEthStatus, encodeEthStatus } from '../../../../src/p2p/messages/ethStatus.ts'
import { ACCEPTED_P2P_VERSIONS, decodeHello, type Hello } from '../../../../src/p2p/messages/hello.ts'
import { encodePeers, GET_PEERS_PAYLOAD } from '../../../../src/p2p/messages/p2pMessages.ts'
import { encodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import { checkStatus, ETH_PROTOCOL_VERSION } from '../../../../src/p2p/peers/checkStatus.ts'
import type { CaseValues } from '../../comparison.ts'
import type { BehaviourCheck, BehaviourLine } from './behaviour.ts'
import { BehaviourNode } from './behaviourNode.ts'
import { recordedReasonName } from './recordedForm.ts'

const HASH = Buffer.alloc(32, 7)
const { disconnect, getPeers, hello, peers, rskMessage } = FRAME_CODES

/** What a connection does, tried over TCP. */
export const CONNECTION_CHECKS: Readonly<Record<string, BehaviourCheck>> = {
  'params as string instead of list answered': (line, values) =>
    BehaviourNode.runConnected(async ({ peer, messages }) => {
      const params = encodeBytes(encodeList([encodeUnsigned(6)]))
      peer.send(rskMessage, envelope(8, encodeList([encodeUnsigned(9), params])))
      values.equal('kept', true, await peer.isAnswered())
      const asked = String(line['r']).replace('RESPONSE', 'REQUEST')
      values.equal('asked', 'BLOCK_HASH_REQUEST', asked)
      values.equal('read as', 'blockHashRequest', messages[0]?.type)
    }),
  'p2p PING answered': (line, values) =>
    BehaviourNode.runConnected(async ({ peer }) => {
      values.equal('pong', line['pong'], await peer.isAnswered())
    }),
  'GET_PEERS and PEERS sent: connection kept': (line, values) =>
    compareOutcome(line, values, ({ peer }) => {
      peer.send(getPeers, GET_PEERS_PAYLOAD)
      peer.send(peers, encodePeers([{ ip: Buffer.from([127, 0, 0, 1]), port: 1, id: peer.key.id }]))
    }),
  'old (non EIP-8) handshake as initiator': (line, values) =>
    BehaviourNode.run(async ({ peer, options }) => {
      const { auth, ack } = await peer.shakeHands(options.key.id, 'old')
      values.equal('auth', line['authLen'], auth)
      values.equal('ack', line['ackLen'], ack)
    }),
  // RSKj echoes the version. We announce 4 to everybody, as otherwise it would send its frames in parts.
  'HELLO with p2p version 5': (line, values) =>
    BehaviourNode.runConnected(
      async ({ peer }) => {
        values.equal('both are accepted', true, ACCEPTED_P2P_VERSIONS.has(Number(line['answer'])))
        values.equal('kept', true, await peer.isAnswered())
      },
      { p2pVersion: 5 },
    ),
  'HELLO with p2p version 3': (line, values) => compareHello(line, values, { p2pVersion: 3 }),
  'HELLO with rsk and snap: RSKj announces': (line, values) =>
    BehaviourNode.run(async (node) => {
      await node.sayHello({ capabilities: [RSK, { name: 'snap', version: 1 }] })
      const announced = decodeHello((await node.peer.receive(hello))?.payload ?? Buffer.alloc(0))
      values.equal('announced', JSON.stringify(line['caps']), JSON.stringify(announced.capabilities))
    }),
  'HELLO with eth/68 and rsk/62: offset still 0x10': (line, values) =>
    BehaviourNode.runConnected(
      async ({ peer, messages }) => {
        peer.send(rskMessage, encodePeerMessage({ type: 'getBlock', hash: HASH }).payload)
        values.equal('read', line['rr'], (await peer.isAnswered()) && messages.length === 1)
      },
      { capabilities: [{ name: 'eth', version: 68 }, RSK] },
    ),
  'HELLO with a node id that is not ours': (line, values) =>
    BehaviourNode.runConnected(
      async ({ peer }) => values.equal('accepted', line['accepted'], await peer.isAnswered()),
      { nodeId: Buffer.alloc(64, 1) },
    ),
  'DISCONNECT as bare integer': (line, values) =>
    compareOutcome(line, values, ({ peer }) => peer.send(disconnect, Buffer.from([8]))),
  'STATUS (type 1) with 2 elements': (line, values) =>
    compareOutcome(line, values, ({ peer }) => {
      const old = { bestNumber: 1, bestHash: HASH, bestParentHash: null, totalDifficulty: null }
      peer.send(rskMessage, encodePeerMessage({ type: 'status', status: old }).payload)
    }),
  'wrong network id in STATUS': (line, values) => compareStatus(line, values, { networkId: 1 }),
  'wrong genesis in STATUS': (line, values) => compareStatus(line, values, { genesisHash: Buffer.alloc(32) }),
  'wrong protocol version in STATUS': (line, values) => compareStatus(line, values, { protocolVersion: 61 }),
  'no rsk capability': (line, values) => compareHello(line, values, { capabilities: [] }),
  'rsk/61 capability only': (line, values) =>
    compareHello(line, values, { capabilities: [{ name: 'rsk', version: 61 }] }),
  'second HELLO': (line, values) => compareOutcome(line, values, ({ peer }) => peer.sendHello()),
  'code 0x0f': codeCheck(0x0f),
  'code 0x12': codeCheck(0x12),
  'code 0x19': codeCheck(0x19),
  'RSK message type 4': messageCheck(envelope(4, encodeList([encodeUnsigned(1)]))),
  'RSK message type 26': messageCheck(envelope(26, encodeList([encodeUnsigned(1)]))),
  'RSK message with an empty body string': messageCheck(envelope(8, Buffer.alloc(0))),
  'RSK message with broken RLP': messageCheck(Buffer.from([0xf8, 0xff, 0x01])),
  'STATUS with negative total difficulty': messageCheck(
    envelope(
      1,
      encodeList([encodeUnsigned(1), encodeBytes(HASH), encodeBytes(HASH), Buffer.from([0x81, 0xff])]),
    ),
  ),
  'unsolicited response': messageCheck(
    encodePeerMessage({ type: 'blockHashResponse', id: 77n, hash: HASH }).payload,
  ),
  'auth written in two parts (200 + rest)': (line, values) =>
    BehaviourNode.run(async ({ peer, options }) => {
      const auth = peer.authFor(options.key.id)
      peer.expectAck(auth)
      peer.write(auth.subarray(0, 200))
      setTimeout(() => peer.write(auth.subarray(200)), 50)
      await peer.until(() => peer.ackBytes > 0)
      values.equal('answered', Number(line['ackBytes']) > 0, peer.ackBytes > 0)
    }),
}

const RSK = { name: 'rsk', version: 62 }

/** After the handshake: whether it closes, with which DISCONNECT, or goes on answering. */
function compareOutcome(
  line: BehaviourLine,
  values: CaseValues,
  stimulate: (node: BehaviourNode) => void,
): Promise<void> {
  return BehaviourNode.runConnected(async (node) => {
    stimulate(node)
    await compareEnd(line, values, node)
  })
}

/** A HELLO that is no good: it is answered, then the connection is closed. */
function compareHello(line: BehaviourLine, values: CaseValues, changes: Partial<Hello>): Promise<void> {
  return BehaviourNode.run(async (node) => {
    await node.sayHello(changes)
    const answer = await node.peer.receive(hello)
    values.equal('HELLO seen', line['helloSeen'] ?? true, answer !== null)
    const version = line['hello']
    if (typeof version === 'number' && answer !== null) {
      values.equal('version', version, decodeHello(answer.payload).p2pVersion)
    }
    await compareEnd(line, values, node)
  })
}

async function compareEnd(line: BehaviourLine, values: CaseValues, { peer }: BehaviourNode): Promise<void> {
  if (line['closed'] !== true) {
    values.equal('kept', true, await peer.isAnswered())
    return
  }
  compareReason(line, values, await peer.closed())
}

function compareReason(line: BehaviourLine, values: CaseValues, found: number | null): void {
  const expected = line['disconnect'] as { readonly reason: number; readonly reasonName: string } | null
  values.equal('reason of DISCONNECT', expected?.reason, found)
  values.equal('its name', expected?.reasonName, found === null ? null : recordedReasonName(found))
}

/** Which DISCONNECT a STATUS of another chain gets. */
function compareStatus(
  line: BehaviourLine,
  values: CaseValues,
  changes: Partial<Parameters<typeof encodeEthStatus>[0]>,
): void {
  const ours = {
    protocolVersion: ETH_PROTOCOL_VERSION,
    networkId: 7771,
    totalDifficulty: 1n,
    bestHash: HASH,
    genesisHash: HASH,
  }
  const theirs = decodeEthStatus(encodeEthStatus({ ...ours, ...changes }))
  values.equal('closed', line['closed'], checkStatus(theirs, ours) !== null)
  compareReason(line, values, checkStatus(theirs, ours)?.reason ?? null)
}

function codeCheck(code: number): BehaviourCheck {
  return (line, values) => compareOutcome(line, values, ({ peer }) => peer.send(code, Buffer.from([0xc0])))
}

function messageCheck(payload: Buffer): BehaviourCheck {
  return (line, values) => compareOutcome(line, values, ({ peer }) => peer.send(rskMessage, payload))
}

function envelope(type: number, body: Buffer): Buffer {
  return encodeList([encodeList([encodeUnsigned(type), encodeBytes(body)])])
}
