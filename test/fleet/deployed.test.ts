import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { runCommand } from '../support/cli.ts'
import { findNatsServer, NATS_SKIP } from '../support/natsServer.ts'
import { freePort } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const POLL_MS = 50
const POLLS = 1200

const CONFIGURATION = new URL('../../.deploy/fleet/nats.conf', import.meta.url)
const [FLEET, SYSTEM, ROUTE] = ['fleetSecret', 'systemSecret', 'routeSecret']

t.test(
  'the configuration of NATS in .deploy is that of a cluster for a fleet',
  { skip: NATS_SKIP },
  async (t) => {
    const folder = testFolder(t)
    const places = await Promise.all(
      [1, 2, 3].map(async (at) => ({
        name: `nats${at}`,
        client: await freePort(),
        cluster: await freePort(),
        monitor: await freePort(),
      })),
    )
    const routes = JSON.stringify(places.map(({ cluster }) => `nats://route:${ROUTE}@127.0.0.1:${cluster}`))
    const servers = places.map(({ name, client, cluster, monitor }): ChildProcess => {
      const path = join(folder, `${name}.conf`)
      mkdirSync(join(folder, name))
      // Addresses and folders of this machine.
      const text = readFileSync(CONFIGURATION, 'utf8')
        .replace('/var/lib/nats', join(folder, name))
        .replace('0.0.0.0:4222', `127.0.0.1:${client}`)
        .replace('0.0.0.0:6222', `127.0.0.1:${cluster}`)
        .replace('127.0.0.1:8222', `127.0.0.1:${monitor}`)
      writeFileSync(path, text)
      return spawn(findNatsServer() ?? '', ['-c', path], {
        stdio: 'ignore',
        env: {
          ...{ NATS_NAME: name, NATS_ROUTES: routes },
          ...{ FLEET_PASSWORD: FLEET, SYSTEM_PASSWORD: SYSTEM, ROUTE_PASSWORD: ROUTE },
        },
      })
    })
    t.teardown(async () => {
      for (const server of servers) {
        const ended = once(server, 'exit')
        if (server.kill('SIGKILL')) await ended
      }
    })
    for (const { monitor } of places) await untilHealthy(monitor)
    const urls = places.map(({ client }) => `nats://127.0.0.1:${client}`)
    const where = ['--fleet', urls.join(), '--fleet-user', 'fleet', '--fleet-password']
    const refused = await runCommand(['fleet', 'init', ...where, 'anotherSecret'])
    t.equal(refused.code, 1)
    const made = await runCommand(['fleet', 'init', ...where, FLEET])
    t.match(made, { code: 0, stdout: /fleet rhizome: 3 replicas/ }, made.stderr)
    const status = await runCommand([
      ...['fleet', 'status', '--json', ...where, FLEET],
      ...['--fleet-system', `system:${SYSTEM}`],
    ])
    t.match(
      JSON.parse(status.stdout),
      { problems: [], servers: places.map(({ name }) => ({ name, syncsAlways: true, hasJetStream: true })) },
      status.stderr,
    )
  },
)

/** @throws Error when the server does not become so */
async function untilHealthy(port: number): Promise<void> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const isHealthy = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isHealthy) return
    await sleep(POLL_MS)
  }
  throw new Error(`the server at ${port} is not healthy`)
}
