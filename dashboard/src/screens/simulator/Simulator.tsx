import { Box, List, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconFlask } from '@tabler/icons-react'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { DRAWN, Nothing } from '../../parts/states.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode } from '../../shell/where.ts'
import { t } from '../../texts/simulator.ts'
import { Clock } from './Clock.tsx'
import { Deposit } from './Deposit.tsx'
import { Told } from './Told.tsx'

/** What test mode can make happen by hand that belongs to no one record. */
export function Simulator() {
  const mode = useMode()
  if (mode === 'live') {
    return (
      <Nothing level={1} icon={<IconFlask {...DRAWN} />} title={t.liveTitle} text={t.liveText} />
    )
  }
  return (
    <Stack gap="lg">
      <Box>
        <Title order={1}>{t.title}</Title>
        <Text c="dimmed" maw="40rem" mt={4}>
          {t.text}
        </Text>
      </Box>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Clock />
        <Deposit />
        <Told />
        <Elsewhere />
      </SimpleGrid>
    </Stack>
  )
}

function Elsewhere() {
  const may = useMay()
  const { more } = t
  const ways = [
    { to: 'wallet', label: more.wallet, scope: 'wallet:read' },
    { to: 'settlements', label: more.settle, scope: 'settlements:read' },
    { to: 'webhooks', label: more.endpoint, scope: 'webhooks:read' },
  ].filter(({ scope }) => may(scope))
  return (
    <Card title={more.title}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {more.records}
        </Text>
        <List spacing={6} listStyleType="none">
          {ways.map(({ to, label }) => (
            <List.Item key={to}>
              <ScreenLink to={to}>{label}</ScreenLink>
            </List.Item>
          ))}
        </List>
      </Stack>
    </Card>
  )
}
