// What a clean system takes over from the machine, so that it reaches the same registries in the same way:
// the settings of apt, npm and cargo, proxies and certificates. Nothing here names a registry.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** A file or folder of the machine at a place of the root. */
export interface Mount {
  readonly from: string
  readonly to: string
  readonly mode: 'ro' | 'rw'
}

export interface MachineSettings {
  /** Lines of apt's configuration. */
  readonly apt: string
  /** Mirror that the machine's own sources name; null for the one that mmdebstrap knows. */
  readonly mirror: string | null
  readonly mounts: readonly Mount[]
  readonly environment: Readonly<Record<string, string>>
}

const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'CARGO_HTTP_CAINFO', 'GIT_SSL_CAINFO']
const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy']
const NPM_SETTINGS = /^npm_config_(registry|cafile|proxy|https_proxy|noproxy|strict_ssl)$/i

/** Standard output of a program without the last end of line; null when it fails. */
export function output(program: string, words: readonly string[], cwd?: string): string | null {
  const { status, stdout } = spawnSync(program, words, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(cwd !== undefined && { cwd }),
  })
  return status === 0 ? stdout.trimEnd() : null
}

function aptSettings(): string {
  const lines = (output('apt-config', ['dump']) ?? '').split('\n')
  const wanted = /^Acquire::(https?|Retries|Check-Valid-Until|Check-Date|Proxy)\b.* "[^"]+";$/i
  return lines.filter((line) => wanted.test(line)).join('\n')
}

function debianMirror(): string | null {
  const filters = ['Created-By: Packages', 'Origin: Debian', 'Label: Debian', 'Component: main']
  return output('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filters])?.split('\n')[0] || null
}

const npmSetting = (name: string) => {
  const value = output('npm', ['config', 'get', name])
  return value === null || value === 'null' || value === 'undefined' ? null : value
}

/** Home of the user in a clean system. */
export const HOME = '/root'
const CARGO_HOME = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo')

/** Reads the settings of the machine. Only files that exist are mounted. */
export function machineSettings(): MachineSettings {
  const mounts: Mount[] = []
  const mount = (from: string | null | undefined, to: string, mode: Mount['mode'] = 'ro') => {
    if (from !== null && from !== undefined && from !== '' && existsSync(from))
      mounts.push({ from, to, mode })
  }
  const environment: Record<string, string> = {
    npm_config_cache: `${HOME}/.npm`,
    npm_config_globalconfig: '/etc/npmrc',
    // Headers of the machine's own Node.js are those of another version.
    npm_config_nodedir: '',
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  mount('/etc/resolv.conf', '/etc/resolv.conf')
  mount('/etc/hosts', '/etc/hosts')
  mount(npmSetting('userconfig'), `${HOME}/.npmrc`)
  mount(npmSetting('globalconfig'), '/etc/npmrc')
  mount(npmSetting('cache'), `${HOME}/.npm`, 'rw')
  // With its locks, since cargo may run on the machine at the same time.
  for (const part of ['registry/cache', 'registry/index', '.package-cache', '.package-cache-mutate'])
    mount(join(CARGO_HOME, part), `${HOME}/.cargo/${part}`, 'rw')
  mount(join(CARGO_HOME, 'config.toml'), `${HOME}/.cargo/config.toml`)
  const certificates = new Set([npmSetting('cafile') ?? ''])
  for (const name of CERTIFICATES) {
    const file = process.env[name]
    if (file === undefined) continue
    environment[name] = file
    certificates.add(file)
  }
  for (const file of certificates) mount(file, file)
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && (PROXIES.includes(name.toLowerCase()) || NPM_SETTINGS.test(name)))
      environment[name] = value
  return { apt: aptSettings(), mirror: debianMirror(), mounts, environment }
}
