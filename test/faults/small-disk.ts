import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedRig, type Rig } from './rigs.ts'

/** Enough for a new cluster and what it writes ahead before the disk is filled. */
const DISK_SIZE = '400m'
const CHUNK = Buffer.alloc(1024 * 1024)

const MOUNTED = new Set<string>()

const mount = (directory: string, size: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', directory]).status ===
  0

/** Ends the file systems that this process has mounted. */
export function unmountAll(): void {
  for (const directory of MOUNTED) spawnSync('umount', ['--lazy', directory])
  MOUNTED.clear()
}

/** Why no disk can be filled here, if so. */
export function lacksMount(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'tradepost-mount-'))
  try {
    if (!mount(directory, '1m')) return 'a small file system cannot be mounted; root can do so'
    spawnSync('umount', [directory])
    return undefined
  } finally {
    rmdirSync(directory)
  }
}

/** The embedded database on a small file system that holds nothing else. */
export async function openSmallDiskRig(scratch: string): Promise<Rig> {
  const directory = join(scratch, 'disk')
  await mkdir(directory)
  if (!mount(directory, DISK_SIZE)) throw new Error(`${directory} cannot be mounted`)
  MOUNTED.add(directory)
  const ballast = join(directory, 'ballast')
  const rig = await openEmbeddedRig(scratch, { name: 'small', dataDir: join(directory, 'data') })
  return {
    ...rig,
    disk: {
      async fill() {
        const file = await open(ballast, 'w')
        try {
          for (;;) await file.write(CHUNK)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        } finally {
          await file.close()
        }
      },
      free: () => rm(ballast),
    },
    async close() {
      await rig.close()
      unmountAll()
    },
  }
}
