import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { QueryClient } from '@tanstack/react-query'
import { type ApiError, call, type Place } from './call.ts'
import { changeNow, type OptimisticChange } from './optimistic.ts'
import { whenLeft } from './session.ts'

/** The operation that takes back what was just done. */
export interface Undo {
  path: string
  method?: 'POST' | 'PUT'
  body?: unknown
  /** What is said when it is taken back. */
  says: string
  /** What is shown at once. */
  shown?: OptimisticChange | undefined
}

/** Long enough to read it, and to come to its button by the keyboard, where it waits. */
const OFFERED_MS = 8_000

interface Offer {
  id: string
  take(): void
}

/** What can be taken back now, the newest last. */
let offers: Offer[] = []

// Nor does anybody else read what was done.
whenLeft(() => {
  offers = []
  notifications.clean()
})

const withdraw = (id: string) => {
  offers = offers.filter((one) => one.id !== id)
}

/**
 * Says what was done, and offers to take it back for a while. Only what nobody changed since is
 * taken back, where the server can tell (`etag` is that of the answer).
 */
export function offerUndo(
  done: string,
  undo: Undo,
  { queries, place, etag }: { queries: QueryClient; place: Place; etag: string | undefined },
): void {
  const id = crypto.randomUUID()
  const take = () => {
    if (!offers.some((one) => one.id === id)) return
    withdraw(id)
    notifications.hide(id)
    void takeBack(undo, { queries, place, etag })
  }
  offers.push({ id, take })
  notifications.show({
    id,
    color: 'green',
    autoClose: OFFERED_MS,
    onClose: () => withdraw(id),
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" inherit className="breaks">
          {done}
        </Text>
        <Button size="compact-sm" variant="default" flex="none" onClick={take}>
          Undo
        </Button>
      </Group>
    ),
  })
}

/** Takes back what was done last, if that can be taken back still. */
export function undoLatest(): void {
  offers.at(-1)?.take()
}

async function takeBack(
  { path, method = 'POST', body = {}, says, shown }: Undo,
  { queries, place, etag }: { queries: QueryClient; place: Place; etag: string | undefined },
): Promise<void> {
  const idempotencyKey = crypto.randomUUID()
  const back = shown && (await changeNow(queries, shown, place))
  try {
    await call(path, { method, body, place, idempotencyKey, ifMatch: etag })
    notifications.show({ message: says, color: 'green' })
  } catch (error) {
    back?.()
    const { status, message } = error as ApiError
    notifications.show({
      title: 'Could not undo',
      message: status === 412 ? 'It has changed since, so it stays as it is.' : message,
      color: 'red',
    })
  } finally {
    await queries.invalidateQueries()
  }
}
