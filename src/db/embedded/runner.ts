import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chownSync,
  constants,
  lchownSync,
  lstatSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'

/** How PostgreSQL's programs are run: they refuse to be root, whatever we are. */
export interface Runner {
  /**
   * The words before the program's own, e.g. `unshare -U …`; empty when we are an ordinary user.
   */
  prefix: string[]
  /** Owner of the files that the program makes, or undefined when they are simply ours. */
  files?: { uid: number; gid: number }
  env: Record<string, string>
}

const NOBODY = 65534

// In a user namespace of its own the program is user 1000 to itself and root to the files, so
// nothing is copied or given away, also below a home directory that is closed to others.
const UNSHARE = ['unshare', '-U', '--map-user=1000', '--map-group=1000']

// Without the secure bit the programs' access(2) checks fail although they may read everything.
const REACH_ALL = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']

interface Candidate {
  prefix: string[]
  uid: number
  gid: number
}

/**
 * Finds a way that works here, by trying it. `top` exists; as root the programs run as its owner,
 * so that a data directory stays with the person who began it.
 *
 * Throws one line for the operator when root has neither way.
 */
export function chooseRunner(top: string, binaries: Binaries): Runner {
  const env = environment(binaries)
  requireWritable(top)
  if (process.getuid?.() !== 0) return { prefix: [], env }
  const { uid, gid } = statSync(top)
  for (const candidate of candidates(uid, gid)) {
    if (!works(candidate, top, binaries, env)) continue
    return { prefix: candidate.prefix, files: { uid: candidate.uid, gid: candidate.gid }, env }
  }
  throw new Error(
    'PostgreSQL does not run as root, and neither `unshare -U` nor `setpriv` (both of util-linux) ' +
      'works here: start Tradepost as an ordinary user, or set DATABASE_URL',
  )
}

/** Throws one line for a file system that is read-only, which no way of running changes. */
function requireWritable(top: string): void {
  try {
    accessSync(top, constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EROFS') return
    throw new Error(`${top} is on a read-only file system: remount it, or set DATA_DIR`)
  }
}

function candidates(uid: number, gid: number): Candidate[] {
  const nobody = setpriv(NOBODY, NOBODY, [...REACH_ALL])
  const root = { prefix: UNSHARE, uid: 0, gid: 0 }
  if (uid === 0) return [root, nobody]
  if (uid === NOBODY) return [nobody, root]
  return [setpriv(uid, gid, []), setpriv(uid, gid, REACH_ALL)]
}

function setpriv(uid: number, gid: number, capabilities: string[]): Candidate {
  const who = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const keep = capabilities.length > 0 ? ['--securebits=+no_setuid_fixup', ...capabilities] : []
  return { prefix: ['setpriv', ...who, ...keep], uid, gid }
}

function works(how: Candidate, top: string, binaries: Binaries, env: Record<string, string>) {
  const script = 'test -w "$1" && exec "$2" --version'
  const [command, ...args] = [...how.prefix, '/bin/sh', '-c', script, 'sh', top, binaries.postgres]
  return spawnSync(command!, args, { cwd: '/', env, stdio: 'ignore' }).status === 0
}

/** Only what the programs need: none of our secrets, and no PG* variable that changes them. */
function environment(binaries: Binaries): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '' }
  if (binaries.libraries) env.LD_LIBRARY_PATH = binaries.libraries
  return env
}

/** Gives a file or directory that we made as root to the user that the programs run as. */
export function handOver(path: string, { files }: Runner): void {
  if (files && files.uid !== 0) chownSync(path, files.uid, files.gid)
}

/** The same for a whole tree, where it was made by the other of root's two ways. */
export function handOverTree(path: string, { files }: Runner): void {
  if (!files || lstatSync(path).uid === files.uid) return
  const each = (entry: string) => {
    if (lstatSync(entry).isDirectory()) {
      for (const name of readdirSync(entry)) each(join(entry, name))
    }
    lchownSync(entry, files.uid, files.gid)
  }
  each(path)
}
