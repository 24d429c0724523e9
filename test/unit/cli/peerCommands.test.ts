import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { EnodeAddress } from '../../../src/p2p/identity/enode.ts'
import { NODE_KEY_FILE } from '../../../src/p2p/identity/nodeKeyFile.ts'
import { NoPeers } from '../../../src/p2p/noPeers.ts'
import type { OwnNode, PeerInfo } from '../../../src/p2p/peerAdmin.ts'
import { createLocalService } from '../../support/ask.ts'
import { createChainContext } from '../../support/chainContext.ts'
import { runInProcess } from '../../support/program.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { testFolder } from '../../support/testFolder.ts'
import { readVectorLines } from '../../support/vectors.ts'

const KEY = '11'.repeat(32)
const ID =
  '4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa385b6b1b8ead809ca67454d9683fcf2ba03456d6fe2c4abe2b07f0fbdbb2f1c1'
const ENODE = `enode://${ID}@198.51.100.1:5050`
const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')

/** The administration of a node with one peer at most. */
class OnePeer extends NoPeers {
  #peers: readonly PeerInfo[] = []

  override async self(): Promise<OwnNode> {
    return {
      id: ID,
      client: 'Rhizome/test',
      address: '::1',
      port: 5050,
      listensOn: '::',
      discovers: true,
      networkId: 775,
    }
  }

  override async peers(): Promise<readonly PeerInfo[]> {
    return this.#peers
  }

  override async add({ id, host, port }: EnodeAddress): Promise<boolean> {
    const head = { number: 300, hash: 'ab'.repeat(32), totalDifficulty: 1n << 80n }
    const flags = { inbound: false, trusted: false, static: true }
    this.#peers = [{ id, address: host, port, ...flags, client: 'RSKj', capabilities: ['rsk/62'], head }]
    return true
  }

  override async remove(id: string): Promise<boolean> {
    const there = this.#peers.some((peer) => peer.id === id)
    this.#peers = []
    return there
  }
}

async function serve(t: Test, peers: NoPeers): Promise<string> {
  const chain = new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(HEAD)
  const service = createLocalService({ ...createChainContext(chain), peers })
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    response.end((await service.ask(Buffer.concat(parts).toString('utf8'))).text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    service.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('the id of a node, of its own key and of one that is imported', async (t) => {
  const dataDir = testFolder(t)
  const peer = (...words: string[]) => runInProcess(['peer', ...words, '--data-dir', dataDir])
  const made = await peer('id')
  t.match(made.stdout, /^([0-9a-f]{128})\nenode:\/\/\1@127\.0\.0\.1:50501\n$/)
  t.equal((await peer('id')).stdout, made.stdout)
  const file = join(testFolder(t), 'nodeId.properties')
  writeFileSync(file, `nodeIdPrivateKey=${KEY}\nnodeId=${ID}\n`)
  t.match(await peer('import-key', file), { code: 1, stderr: /holds another key: --replace/ })
  t.match(await peer('import-key', file, '--replace'), { code: 0, stdout: `${ID}\n` })
  t.equal(readFileSync(join(dataDir, NODE_KEY_FILE), 'utf8'), `${KEY}\n`)
  const named = await peer('id', '--p2p-address', '2001:db8::1', '--p2p-port', '5050')
  t.equal(named.stdout, `${ID}\nenode://${ID}@[2001:db8::1]:5050\n`)
})

t.test('peers of a running node are added, listed and removed', async (t) => {
  const url = await serve(t, new OnePeer())
  const peer = (...words: string[]) => runInProcess(['peer', ...words, '--url', url])
  t.equal((await peer('list')).stdout, 'no peers\n')
  t.match(await peer('add', ENODE, '--remove'), { code: 1, stderr: /no connection to keep/ })
  t.match(await peer('add', 'enode://12@1.2.3.4:5'), { code: 2, stderr: /128 hex digits/ })
  t.match(await peer('add', ENODE), { code: 0, stdout: 'added\n' })
  t.match((await peer('list')).stdout, /^4f355bdc +198\.51\.100\.1:5050 +kept +300 +RSKj$/m)
  t.match(JSON.parse((await peer('list', '--json')).stdout), [
    {
      id: ID,
      enode: ENODE,
      protocols: { rsk: { number: '0x12c', totalDifficulty: '0x100000000000000000000' } },
    },
  ])
  t.match(await peer('add', ENODE, '--remove'), { code: 0, stdout: 'removed\n' })
})

t.test('bans and scores of a running node', async (t) => {
  const url = await serve(t, new OnePeer())
  const peer = (...words: string[]) => runInProcess(['peer', ...words, '--url', url])
  t.equal((await peer('ban')).stdout, 'nothing is banned\n')
  t.equal((await peer('ban', '198.51.100.0/24')).stdout, '198.51.100.0/24\n')
  t.match(await peer('ban', '127.0.0.1'), { code: 1, stderr: /invalid banned address 127\.0\.0\.1/ })
  t.equal((await peer('ban', '198.51.100.0/24', '--lift')).stdout, 'nothing is banned\n')
  t.equal((await peer('score')).stdout, 'no scores\n')
  t.match(await peer('score', '--clear'), { code: 2 })
})

t.test('a node without peers says so, and one that is not there does', async (t) => {
  const url = await serve(t, new NoPeers())
  t.match(await runInProcess(['peer', 'add', ENODE, '--url', url]), { code: 1, stderr: /runs without peers/ })
  t.match(await runInProcess(['peer', 'list', '--url', 'http://127.0.0.1:9']), {
    code: 1,
    stderr: /does not answer/,
  })
})
