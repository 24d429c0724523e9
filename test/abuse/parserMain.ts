import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedPackages } from '../../native/sockets/binaries.mjs'
import { CUT, describeOutcome, PARSER_CASES } from './parserCases.ts'
import { sendRaw } from './sendRaw.ts'

/** A server to compare. */
interface Server {
  readonly name: string
  readonly port: number
  stop(): void
}

async function openServer(name: string): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./parserServers.ts', import.meta.url)), [name])
  const [port] = (await once(child, 'message')) as [number]
  return { name, port, stop: () => child.disconnect() }
}

/** nginx as it comes, where it is installed. */
async function openNginx(): Promise<Server | null> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-nginx-'))
  const port = await freePort()
  const server = `server { listen 127.0.0.1:${port}; location / { return 200 "ok"; } }`
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  )
  const http = `access_log off; ${paths.join(' ')} ${server}`
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events {} http { ${http} }`,
  )
  const child = spawn('nginx', ['-c', file, '-e', join(folder, 'log')], { stdio: 'ignore' })
  const failed = once(child, 'error').then(() => true)
  if (await Promise.race([failed, once(child, 'spawn').then(() => false)])) return null
  failed.catch(() => undefined)
  for (let left = 50; left > 0; left--) {
    const { closed } = await sendRaw(port, ['GET / HTTP/1.0\r\n\r\n'])
    if (closed) break
  }
  return { name: 'nginx', port, stop: () => void child.kill() }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const builds = installedPackages().map(({ name }) => name)
const names = [...builds.map((name) => `this node, ${name}`), ...builds, 'node:http']
const opened = await Promise.all([...names.map((name) => openServer(name)), openNginx()])
const servers = opened.filter((server) => server !== null)
const lines = [
  `| case | RFC 9112 | ${servers.map(({ name }) => name).join(' | ')} |`,
  `|---|---|${'---|'.repeat(servers.length)}`,
]
const rows: { name: string; cells: string }[] = []
for (const one of PARSER_CASES) {
  const outcomes = await Promise.all(servers.map(({ port }) => sendRaw(port, one.pieces)))
  const wanted = `${one.wanted} (${one.source})`
  const cells = [wanted, ...outcomes.map((outcome) => describeOutcome(one, outcome))].join(' | ')
  const last = rows.at(-1)
  if (last?.cells === cells && one.name.startsWith(CUT) && last.name.startsWith(CUT)) {
    last.name = `${CUT} ${last.name.slice(CUT.length).split(' to ')[0]?.trim()} to ${one.name.slice(CUT.length).trim()}`
  } else rows.push({ name: one.name, cells })
}
lines.push(...rows.map(({ name, cells }) => `| ${name} | ${cells} |`))
for (const server of servers) server.stop()
process.stdout.write(`${lines.join('\n')}\n`)
