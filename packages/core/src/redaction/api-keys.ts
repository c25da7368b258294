const TEXT = 'A-Za-z0-9';

/**
 * Keys that vendors mark with a prefix: the prefix, and what must follow, as sources of regular expressions. Every body
 * ends in its own repetition or after a fixed number, so a match that begins can only succeed or stop early.
 */
export const API_KEY_PREFIXES: readonly (readonly [prefix: string, body: string])[] = [
  // OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), Langfuse (sk-lf-), DeepSeek and others
  ['sk-', `[${TEXT}_-]{16,}`],
  // GitHub
  ['gh[opsur]_', `[${TEXT}]{20,}`],
  ['github_pat_', `[${TEXT}_]{20,}`],
  // GitLab
  ['gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-', `[${TEXT}_.-]{16,}`],
  // Slack
  ['xox[a-z]-', `[${TEXT}-]{10,}`],
  ['xapp-', `[${TEXT}-]{20,}`],
  // AWS key ids
  ['(?:AKIA|ASIA|ABIA|ACCA)', `[A-Z0-9]{16}(?![${TEXT}])`],
  // Google API keys, OAuth access and refresh tokens, client secrets
  ['AIza', `[${TEXT}_-]{30,}`],
  ['ya29\\.', `[${TEXT}_-]{20,}`],
  ['1//0', `[${TEXT}_-]{30,}`],
  ['GOCSPX-', `[${TEXT}_-]{20,}`],
  // Stripe
  ['[rs]k_(?:live|test)_', `[${TEXT}]{10,}`],
  ['whsec_', `[${TEXT}+/=]{20,}`],
  // npm, PyPI, Docker Hub
  ['npm_', `[${TEXT}]{30,}`],
  ['pypi-', `[${TEXT}_-]{40,}`],
  ['dckr_pat_', `[${TEXT}_-]{20,}`],
  // Hugging Face, Groq, xAI, Replicate, Perplexity, Tavily, NVIDIA, Firecrawl
  ['hf_', `[${TEXT}]{30,}`],
  ['gsk_', `[${TEXT}]{40,}`],
  ['xai-', `[${TEXT}]{40,}`],
  ['r8_', `[${TEXT}]{36,}`],
  ['pplx-', `[${TEXT}]{40,}`],
  ['tvly-', `[${TEXT}-]{20,}`],
  ['nvapi-', `[${TEXT}_-]{40,}`],
  ['fc-', '[0-9a-f]{32}'],
  // LangSmith
  ['lsv2_(?:pt|sk)_', `[${TEXT}_]{30,}`],
  // SendGrid, Mailgun, Twilio key ids
  ['SG\\.', `[${TEXT}_-]{16,64}\\.[${TEXT}_-]{16,}`],
  ['key-', `[0-9a-f]{32}(?![${TEXT}])`],
  ['SK', `[0-9a-f]{32}(?![${TEXT}])`],
  // DigitalOcean, Databricks, Shopify, Vault, Pulumi, Grafana
  ['do[opr]_v1_', '[0-9a-f]{60,}'],
  ['dapi', `[0-9a-f]{32}(?![${TEXT}])`],
  ['shp(?:at|ca|pa|ss)_', `[${TEXT}]{30,}`],
  ['hv[bsr]\\.', `[${TEXT}_-]{24,}`],
  ['pul-', `[0-9a-f]{40}(?![${TEXT}])`],
  ['gl(?:sa|c)_', `[${TEXT}_=+/]{30,}`],
  // Linear, Notion, Figma, Atlassian, Square, New Relic, Sentry, age
  ['lin_api_', `[${TEXT}]{30,}`],
  ['ntn_', `[${TEXT}]{40,}`],
  ['secret_', `[${TEXT}]{40,}`],
  ['figd_', `[${TEXT}_-]{36,}`],
  ['ATATT3x', `[${TEXT}_=-]{40,}`],
  ['sq0(?:atp|csp)-', `[${TEXT}_-]{20,}`],
  ['NRAK-', '[A-Z0-9]{20,}'],
  ['sntry[su]_', `[${TEXT}_=+/]{30,}`],
  ['AGE-SECRET-KEY-1', '[0-9A-Z]{50,}'],
];
