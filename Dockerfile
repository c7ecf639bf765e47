# The analysis board for a club: docker compose up, then http://localhost:8000/
FROM python:3.12-slim
WORKDIR /app
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY titm_rules titm_rules
COPY grammar grammar
COPY rulesets rulesets
COPY scenarios scenarios
RUN pip install --no-cache-dir ".[web,png]" && useradd --create-home player
USER player
EXPOSE 8000
HEALTHCHECK CMD python -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/api/health', timeout=8)"
CMD ["titm", "serve", "--host", "0.0.0.0", "--port", "8000", "--seconds", "5", "--memory", "256"]
