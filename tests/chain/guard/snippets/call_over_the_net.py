from urllib.request import urlopen
import requests
