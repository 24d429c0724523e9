/**
 * Lowest glibc that a packed installation runs with: the highest that its socket library asks for. The native core
 * and the stores' library ask for 2.34. Debian 12, Ubuntu 24.04 and Fedora 37 have it.
 */
export const GLIBC_FLOOR = '2.36'

/** The system as far as built native code depends on it. */
export interface HostPlatform {
  /** `process.platform`, such as `linux`. */
  readonly os: string
  /** `process.arch`, such as `x64`. */
  readonly arch: string
  /** C library and version; null where it does not matter, and where it is none that is known. */
  readonly libc: string | null
}

/** The system that this process runs on. It takes some milliseconds. */
export function hostPlatform(): HostPlatform {
  const { platform: os, arch } = process
  return { os, arch, libc: os === 'linux' ? linuxLibc() : null }
}

/** Ends of the names of packages whose native core may run on a system, the likelier first. */
export function platformPackages(os: string, arch: string): string[] {
  return os === 'linux' ? [`${os}-${arch}-gnu`, `${os}-${arch}-musl`] : [`${os}-${arch}`]
}

/** The system in words: `linux x64, glibc 2.36`. */
export function describePlatform({ os, arch, libc }: HostPlatform): string {
  return libc === null ? `${os} ${arch}` : `${os} ${arch}, ${libc}`
}

function linuxLibc(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime === undefined ? 'musl' : `glibc ${header.glibcVersionRuntime}`
}
