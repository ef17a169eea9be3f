import { Button, Stack, Text } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useState } from 'react'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { businessId } from '../../api/session.ts'
import { Copyable } from '../../parts/values.tsx'
import { useMode } from '../../shell/where.ts'
import { t } from '../../texts/settings.ts'
import { Part } from './SettingForm.tsx'

/** Fetched only when it is asked for, by whoever gave the password just now. */
export function RedirectSecret() {
  const mode = useMode()
  const place = `${businessId()} ${mode}`
  const [known, setKnown] = useState<{ place: string; secret: string }>()
  const show = useAction<Envelope<{ secret: string }>>({
    path: '/console/redirect-secret/show',
    refresh: [],
  })
  // Never that of another business or mode, after a switch on this screen.
  const isShown = known?.place === place
  const toggle = () =>
    isShown
      ? setKnown(undefined)
      : show.mutate(undefined, { onSuccess: ({ data }) => setKnown({ place, ...data }) })
  return (
    <Part id="redirect-secret" title={t.redirectSecret}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          {t.itSignsTheAddressThat(mode)}
        </Text>
        {isShown && <Copyable text={known.secret} />}
        <Button
          variant="default"
          leftSection={isShown ? <IconEyeOff size={16} /> : <IconEye size={16} />}
          aria-expanded={isShown}
          loading={show.isPending}
          onClick={toggle}
        >
          {isShown ? t.hideTheSecret : t.showTheSecret}
        </Button>
      </Stack>
    </Part>
  )
}
