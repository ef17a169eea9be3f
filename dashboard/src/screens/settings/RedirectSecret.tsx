import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { Card } from '../../parts/DetailPage.tsx'
import { Copyable } from '../../parts/values.tsx'
import { useMode } from '../../shell/where.ts'

/** Shown only when it is asked for, so that nobody reads it over a shoulder. */
export function RedirectSecret({ secret }: { secret: string }) {
  const mode = useMode()
  const [isShown, { toggle }] = useDisclosure(false)
  return (
    <Card title="Redirect secret">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          It signs the address that a payer is led back to after paying, so that your shop can tell
          it from a forged one. This is the one of {mode} mode.
        </Text>
        {isShown && <Copyable text={secret} />}
        <Button
          variant="default"
          leftSection={isShown ? <IconEyeOff size={16} /> : <IconEye size={16} />}
          aria-expanded={isShown}
          onClick={toggle}
        >
          {isShown ? 'Hide the secret' : 'Show the secret'}
        </Button>
      </Stack>
    </Card>
  )
}
