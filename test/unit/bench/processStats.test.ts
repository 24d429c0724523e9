import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { listenerOf, ownMiB, processorSeconds, residentMiB } from '../../../bench/rpc/processStats.ts'

/** Starts a second process that works, says so when it has, and waits for it. */
const LAUNCHER = `
const { spawn } = require('node:child_process')
const work = 'const end = process.cpuUsage().user + 4e5; while (process.cpuUsage().user < end); console.log(1); setInterval(() => {}, 1e3)'
const child = spawn(process.execPath, ['-e', work], { stdio: ['ignore', 'inherit', 'inherit'] })
process.once('SIGTERM', () => { child.kill('SIGKILL'); process.exit() })
`

t.test('a launcher has the time and the memory of what it started', async (t) => {
  const launcher = spawn(process.execPath, ['-e', LAUNCHER], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => launcher.kill('SIGTERM'))
  await once(launcher.stdout, 'data')
  const pid = launcher.pid ?? 0
  t.ok(processorSeconds(pid) >= 0.4, 'the time of the child is counted')
  t.ok(residentMiB(pid) > 40, 'two processes are in memory')
  t.ok(ownMiB(pid) > 5 && ownMiB(pid) < residentMiB(pid), 'files that are mapped are not its own')
})

t.test('the process behind a port is found', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.equal(listenerOf(port), process.pid)
  server.close()
  await once(server, 'close')
  t.equal(listenerOf(port), null)
})
