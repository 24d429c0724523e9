import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { checkMember } from '../../src/config/conflicts.ts'
import { parseEnvironment } from '../../src/config/environment.ts'
import { parseConfigFile } from '../../src/config/file.ts'
import { fillDefaults } from '../../src/config/load.ts'
import { DEFAULT_BYTES } from '../../src/fleet/nats/resources.ts'
import { findNatsServer, NATS_SKIP } from '../support/natsServer.ts'

const NATS_CONF = deployed('nats.conf')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const SECRETS = {
  FLEET_PASSWORD: 'fleetSecret',
  SYSTEM_PASSWORD: 'systemSecret',
  ROUTE_PASSWORD: 'routeSecret',
}

interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly stop_grace_period?: string
  readonly volumes?: readonly string[]
}

const { services } = parse(readFileSync(deployed('compose.yaml'), 'utf8'), { merge: true }) as {
  services: Readonly<Record<string, Service>>
}

function deployed(name: string): string {
  return fileURLToPath(new URL(`../../.deploy/fleet/${name}`, import.meta.url))
}

/** As compose fills it in. */
function environmentOf(name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([key, text]) => [
      key,
      text.replace(/\$\{(\w+):\?\}/g, (_, secret: keyof typeof SECRETS) => SECRETS[secret]),
    ]),
  )
}

t.test('nats-server takes its configuration', { skip: NATS_SKIP }, (t) => {
  for (const name of ['nats1', 'nats2', 'nats3']) {
    const { status, stderr } = spawnSync(findNatsServer() ?? '', ['-t', '-c', NATS_CONF], {
      encoding: 'utf8',
      env: environmentOf(name),
    })
    t.equal(status, 0, stderr)
    t.equal(environmentOf(name)['NATS_NAME'], name)
  }
  const without = spawnSync(findNatsServer() ?? '', ['-t', '-c', NATS_CONF], { env: {} })
  t.not(without.status, 0, 'it has no passwords of its own')
  const [, limit] = /max_file_store: (\d+)GiB/.exec(readFileSync(NATS_CONF, 'utf8')) ?? []
  const reserved = Object.values(DEFAULT_BYTES).reduce((sum, bytes) => sum + bytes, 0)
  t.ok(Number(limit) * 2 ** 30 > reserved, 'there is room for what `fleet init` reserves')
  t.end()
})

t.test('the containers are three members of one fleet', (t) => {
  const members = ['rhizome1', 'rhizome2', 'rhizome3'].map((name) => ({ name, ...services[name] }))
  const ports = members.flatMap((member) => member.ports ?? [])
  t.equal(new Set(ports).size, ports.length, 'no port is taken twice')
  const withPeers = members.filter(({ name, ports, stop_grace_period }) => {
    const config = fillDefaults(parseEnvironment(environmentOf(name)))
    checkMember(config)
    t.match(config, {
      fleet: ['nats://nats1:4222', 'nats://nats2:4222', 'nats://nats3:4222'],
      fleetMember: name,
      fleetUser: 'fleet',
      fleetPassword: SECRETS.FLEET_PASSWORD,
      fleetSystem: `system:${SECRETS.SYSTEM_PASSWORD}`,
    })
    t.ok(Number.parseInt(stop_grace_period ?? '', 10) > config.drainDelay + config.drainTimeout + 5)
    if (config.peers)
      for (const protocol of ['tcp', 'udp'])
        t.ok(ports?.includes(`${config.p2pPort}:${config.p2pPort}/${protocol}`))
    return config.peers
  })
  t.equal(withPeers.length, 2)
  for (const { name, volumes } of members) t.strictSame(volumes, [`${name}:/var/lib/rhizome`])
  t.end()
})

t.test('a member takes its configuration file', (t) => {
  const text = readFileSync(deployed('rhizome.yaml'), 'utf8')
  const secrets = { RHIZOME_FLEET_PASSWORD: 'a', RHIZOME_FLEET_SYSTEM: 'system:b' }
  const config = fillDefaults({ ...parseConfigFile(text, 'rhizome.yaml'), ...parseEnvironment(secrets) })
  checkMember(config)
  t.match(config, { profile: 'hosted', peers: true, fleetName: 'rhizome', fleetMember: 'rhizome1' })
  // What is commented out is to be taken as well.
  const withTls = text.replace(/^# (fleet(?:Ca|Cert|Key)|peers): /gm, '$1: ').replaceAll('nats://', 'tls://')
  t.match(fillDefaults({ ...parseConfigFile(withTls, 'rhizome.yaml'), ...parseEnvironment(secrets) }), {
    peers: false,
    fleetCa: /ca\.pem$/,
    fleetCert: /member\.pem$/,
    fleetKey: /member\.key$/,
  })
  t.end()
})

t.test(
  'the units are ones that systemd takes',
  { skip: !hasSystemd && 'systemd-analyze is not here' },
  (t) => {
    const folder = t.testdir()
    const here = (text: string) =>
      text
        .replace(/^(User|Group)=.*$/gm, '$1=root')
        .replaceAll('/usr/local/bin/nats-server', process.execPath)
        .replace('/usr/bin/node', process.execPath)
        .replace('file:/opt/rhizome/node_modules/rhizome/README.md', 'https://example.com')
    const files = {
      'nats-server.service': readFileSync(deployed('nats-server.service'), 'utf8'),
      'rhizome.service': readFileSync(deployed('../systemd/rhizome.service'), 'utf8'),
      'rhizome.service.d/rhizome-fleet.conf': readFileSync(deployed('rhizome-fleet.conf'), 'utf8'),
    }
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, here(text))
    }
    for (const unit of ['nats-server.service', 'rhizome.service']) {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, unit)], {
        encoding: 'utf8',
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
      })
      t.equal(stderr, '')
      t.equal(status, 0)
    }
    t.end()
  },
)
