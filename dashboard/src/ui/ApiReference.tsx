import { Button } from '@mantine/core'
import { IconBook } from '@tabler/icons-react'

/** Where this server documents its own API. */
export const API_REFERENCE = '/docs'

/** Leads to it, beside what is unfinished here. */
export function ApiReference() {
  return (
    <Button
      component="a"
      href={API_REFERENCE}
      target="_blank"
      rel="noopener"
      variant="default"
      leftSection={<IconBook size={16} />}
    >
      API reference
    </Button>
  )
}
