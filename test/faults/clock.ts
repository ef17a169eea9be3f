import { globSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbeddedRig, type Rig } from './rigs.ts'

const findFaketime = (): string | undefined =>
  globSync('/usr/lib/{,*/}faketime/libfaketime.so.1')[0]

/** Why the clock cannot jump here, if so. */
export const lacksFaketime = (): string | undefined =>
  findFaketime() ? undefined : 'libfaketime is not installed (Debian has a package libfaketime)'

/** The embedded database and a server whose clock can be set, by libfaketime. */
export async function openClockRig(scratch: string): Promise<Rig> {
  const file = join(scratch, 'clock-offset')
  async function set(offsetMs: number): Promise<void> {
    const seconds = Math.round(offsetMs / 1_000)
    await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 })
    await rename(`${file}.new`, file)
  }
  await set(0)
  const rig = await openEmbeddedRig(scratch, {
    name: 'clock',
    env: {
      LD_PRELOAD: findFaketime()!,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // A jump of the clock does not change how much time has passed.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
  })
  return { ...rig, clock: { set } }
}
