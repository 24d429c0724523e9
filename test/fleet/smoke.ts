import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TestFleet } from './cluster/testFleet.ts'
const folder = mkdtempSync(join(tmpdir(), 'fleet-'))
const fleet = await TestFleet.start({ folder, members: 3, servers: 1, program: 'dist/cli/main.js', args: ['--block-time', '1'] })
const ask = async (m: { url: string }, method: string, params: unknown[] = []) => (await (await fetch(m.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })).json()) as any
try {
  for (let i = 0; i < 12; i++) {
    await sleep(1000)
    console.log(await Promise.all(fleet.members.map(async (m) => (await ask(m, 'eth_blockNumber')).result + '/' + (await ask(m, 'net_peerCount')).result)))
  }
  for (const m of fleet.members.slice(0, 3)) console.log(JSON.stringify((await ask(m, 'rsk_getFleetStatus')).result))
  console.log(await fleet.command(['fleet', 'status']).catch((e) => String(e)))
} finally {
  for (const m of fleet.members) console.log(String((m as any).output()).split('\n').filter((l) => /WARN|ERROR|warn|error|\{/.test(l)).slice(-15).join('\n'))
  await fleet.close()
}
process.exit(0)
